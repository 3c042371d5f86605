"""Rule files, found, read, checked and named, and the profiles that choose among them."""

from ists_asp.rules.directives import NamedRule
from ists_asp.rules.loader import RuleSet, load_rules, rule_files
from ists_asp.rules.parsing import RuleWarning
from ists_asp.rules.profiles import NO_READER, Profile, Purpose, list_profiles, load_profile
from ists_asp.rules.programs import find_program, load_program, read_overlay, read_profile_rules
from ists_asp.rules.source import RuleFile, find_rules
from ists_asp.rules.tables import phrases

__all__ = [
    "NO_READER",
    "NamedRule",
    "Profile",
    "Purpose",
    "RuleFile",
    "RuleSet",
    "RuleWarning",
    "find_program",
    "find_rules",
    "list_profiles",
    "load_profile",
    "load_program",
    "load_rules",
    "phrases",
    "read_overlay",
    "read_profile_rules",
    "rule_files",
]
