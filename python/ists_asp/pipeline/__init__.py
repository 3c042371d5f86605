"""The way of all pairs: from a source through the stages to a sink.

A :class:`~ists_asp.pipeline.source.Source` reads, checks and batches them,
:class:`~ists_asp.pipeline.stages.Stages` tokenise, annotate and decide a batch, and a
:class:`~ists_asp.pipeline.stages.Sink` writes an outcome for each pair.
"""
