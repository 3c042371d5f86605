"""Rule files: found, read, checked, named; profiles that choose among them.

What only some commands need is imported from where it is: lists of rules, weights, checks.
"""

from ists_asp.rules.directives import NamedRule
from ists_asp.rules.loader import RuleSet, load_rules, rule_files
from ists_asp.rules.parsing import RuleWarning
from ists_asp.rules.profiles import NO_READER, Profile, Purpose, list_profiles, load_profile
from ists_asp.rules.programs import (
    find_program,
    load_program,
    program_sources,
    read_overlay,
    read_profile_rules,
)
from ists_asp.rules.source import RuleFile, RuleSource, find_rules
from ists_asp.rules.tables import phrases

__all__ = [
    "NO_READER",
    "NamedRule",
    "Profile",
    "Purpose",
    "RuleFile",
    "RuleSet",
    "RuleSource",
    "RuleWarning",
    "find_program",
    "find_rules",
    "list_profiles",
    "load_profile",
    "load_program",
    "load_rules",
    "phrases",
    "program_sources",
    "read_overlay",
    "read_profile_rules",
    "rule_files",
]
