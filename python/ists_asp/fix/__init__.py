"""From a claim about a pair to the rule that makes it hold: edits, each tried and measured."""
