"""Rule files: found, read, checked, named; profiles that choose among them."""

from ists_asp.rules.catalogue import (
    Catalogue,
    ListedRule,
    Use,
    copy_rules,
    list_rules,
    rule_sentences,
)
from ists_asp.rules.constants import check_kinds, constants_in
from ists_asp.rules.directives import NamedRule
from ists_asp.rules.loader import RuleSet, load_rules, rule_files
from ists_asp.rules.parsing import Messages, RuleWarning
from ists_asp.rules.profiles import (
    Files,
    Profile,
    Purpose,
    list_profiles,
    load_profile,
)
from ists_asp.rules.programs import (
    Overlay,
    ProfileFiles,
    find_program,
    given_warnings,
    load_program,
    program_sources,
    read_overlay,
    read_profile_rules,
    unknown_constants,
)
from ists_asp.rules.source import RuleFile, RuleSource, files_of_rules, find_rules
from ists_asp.rules.tables import phrases
from ists_asp.rules.weights import Weight, rule_weights, weights_of

__all__ = [
    "Catalogue",
    "Files",
    "ListedRule",
    "Messages",
    "NamedRule",
    "Overlay",
    "Profile",
    "ProfileFiles",
    "Purpose",
    "RuleFile",
    "RuleSet",
    "RuleSource",
    "RuleWarning",
    "Use",
    "Weight",
    "check_kinds",
    "constants_in",
    "copy_rules",
    "files_of_rules",
    "find_program",
    "find_rules",
    "given_warnings",
    "list_profiles",
    "list_rules",
    "load_profile",
    "load_program",
    "load_rules",
    "phrases",
    "program_sources",
    "read_overlay",
    "read_profile_rules",
    "rule_files",
    "rule_sentences",
    "rule_weights",
    "unknown_constants",
    "weights_of",
]
