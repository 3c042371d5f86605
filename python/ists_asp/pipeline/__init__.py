"""One way for pairs, whoever asks: from a source through the stages to a sink.

A :class:`~ists_asp.pipeline.source.Source` reads and checks them and cuts them into batches. The
:class:`~ists_asp.pipeline.stages.Stages` tokenise, annotate and decide a batch. A
:class:`~ists_asp.pipeline.stages.Sink` writes an outcome for each pair. The command line, frames
and the workers of a cluster choose these three and do nothing else with pairs.
"""
