"""The workbench: a folder of rules, words and corpora, edited and tried in the browser.

A thin layer over the system: pages and an HTTP API in front (:mod:`.app`, :mod:`.api`), warm
workers behind (:mod:`.desk`). What people keep are plain files in their folder (:mod:`.project`).
"""
