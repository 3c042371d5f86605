"""Rule files: found, read, checked, named; profiles that choose among them."""

from ists_asp.rules.catalogue import Catalogue, ListedRule, Use, list_rules, rule_sentences
from ists_asp.rules.constants import constants_in, unknown_constants
from ists_asp.rules.copy import copy_rules
from ists_asp.rules.directives import NamedRule
from ists_asp.rules.extent import files_of_rules
from ists_asp.rules.find import RuleSource, find_rules
from ists_asp.rules.loader import RuleSet, load_rules, rule_files
from ists_asp.rules.messages import Messages, RuleWarning
from ists_asp.rules.overlay import Overlay, read_overlay
from ists_asp.rules.profile_files import explanation_sources, profile_sources, rating_sources
from ists_asp.rules.profile_rules import (
    ProfileFiles,
    explanation_rule_sources,
    load_profile_rules,
    profile_rule_sources,
    rating_rule_sources,
    read_profile_rules,
    read_rating_rules,
)
from ists_asp.rules.profiles import Profile, list_profiles, load_profile
from ists_asp.rules.reading import RuleFile
from ists_asp.rules.weights import Weight, rule_weights

__all__ = [
    "Catalogue",
    "ListedRule",
    "Messages",
    "NamedRule",
    "Overlay",
    "Profile",
    "ProfileFiles",
    "RuleFile",
    "RuleSet",
    "RuleSource",
    "RuleWarning",
    "Use",
    "Weight",
    "constants_in",
    "copy_rules",
    "explanation_rule_sources",
    "explanation_sources",
    "files_of_rules",
    "find_rules",
    "list_profiles",
    "list_rules",
    "load_profile",
    "load_profile_rules",
    "load_rules",
    "profile_rule_sources",
    "profile_sources",
    "rating_rule_sources",
    "rating_sources",
    "read_overlay",
    "read_profile_rules",
    "read_rating_rules",
    "rule_files",
    "rule_sentences",
    "rule_weights",
    "unknown_constants",
]
