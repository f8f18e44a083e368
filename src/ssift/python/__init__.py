"""The reference engine: plain Python, written to be read.

Someone who never saw Server-Sent Events or streamed completions can learn both here. Bytes flow one way::

    pieces -> lines.py -> event_stream.py -> chunks.py -> grouping.py -> responses.py -> columns.py
              lines       events             one chunk    which          one answer      finished
                                                          response       put together    columns

``events.py`` says what an event is, and ``json_framings.py`` reads it from JSON lines or a single JSON text.
``json_text.py`` and ``values.py`` say what JSON text and its values mean here, ``logprobs.py`` and ``failures.py``
read two parts of a chunk, ``calls.py`` puts tool calls together, ``flat.py`` writes the rows that need not wait for the
end of a response, ``engine.py`` connects them all. ``plain.py`` is a short way from events to rows, for chunks that
resemble the one before: the results are the same without it, so read it last.

The native engine obeys the same contract (:mod:`ssift.contract`); where the two differ, one of them has a bug, and the
tests compare.
"""
