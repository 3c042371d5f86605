"""Rule files: found, read, checked, named; profiles that choose among them.

What only some commands need is imported from where it is: lists of rules, weights, checks.
"""

from ists_asp.rules.constants import check_kinds
from ists_asp.rules.directives import NamedRule
from ists_asp.rules.loader import RuleSet, load_rules, rule_files
from ists_asp.rules.parsing import RuleWarning
from ists_asp.rules.profiles import NO_READER, Profile, Purpose, list_profiles, load_profile
from ists_asp.rules.programs import (
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

__all__ = [
    "NO_READER",
    "NamedRule",
    "Profile",
    "ProfileFiles",
    "Purpose",
    "RuleFile",
    "RuleSet",
    "RuleSource",
    "RuleWarning",
    "check_kinds",
    "files_of_rules",
    "find_program",
    "find_rules",
    "given_warnings",
    "list_profiles",
    "load_profile",
    "load_program",
    "load_rules",
    "phrases",
    "program_sources",
    "read_overlay",
    "read_profile_rules",
    "rule_files",
    "unknown_constants",
]
