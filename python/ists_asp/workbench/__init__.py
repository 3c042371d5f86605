"""The workbench: a folder of rules, words and corpora, edited and tried in the browser."""
