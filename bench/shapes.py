"""What replay logs are made of: a vocabulary, and the shapes in which servers write their chunks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# -------------------------------------------------------------------------------------------------- vocabulary

_WORDS = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were all her she there would their we him been has when who will no more if out so up said what its about "
    "than into them can only other time new some could these two may first then do any like my now over such our man me "
    "even most made after also did many off before must well back through years much where your way down should because "
    "long each just state those people too mr how little good world make very year still see own work men day get here "
    "between both life being under three never know same last another while us might great go come since against right "
    "take used himself few house use place during without again home around small however found think system part water "
    "number model value function return import class print list string error data file test result answer question step"
).split()
_SYLLABLES = (
    "an ar be bel ca cen com con cor cul de den di dis el en er ex fer for gen gra hal har im in int is ja ka kel la lan "
    "len li lo lor ma man mar men mer mi mon na nal ne nor o on or pa par per pla pre pro ra ran re ri ro sa sen ser sha "
    "sta ter tion tor tra tri ul un ur va ver vi vor wa wen zen ly ing ed ness ment able ive"
).split()
_CODE = (
    '\n|\n\n|\t|\\n|"|\\|{"|":|"}|",|("|"]|</|/>|<|>|`|```|\'s|\'t|.|,|:|;|!|?|(|)|[|]|{|}|=|==| =| +|-| -|*|**| **|'
    "#|##| ##|...|%|$|&|@|/|//|  |    |        |\r\n|_| _|->|=>|!=|&&|0x|://|\\(|\\frac|\\\\|\x1b[0m|\x00"
).split("|")
_ABROAD = (
    "é|è|ü|ß|ñ|ça|für| über| où| año| naïve|ться| что| не|ени| при|的|是|我们|必须|。|，|、|です|ます| 한국|입니다| של| في|ال|"
    "αι| και|ี|น|ក| ở| được|—| —|“|”|’|…|•| €|°|×|→|√|≈|\u2028|\u00a0|\u200b|\ufeff|¡|ğ|ş|ł|ż"
).split("|")
_EMOJI = "😀|😊|🎉|🚀|🙏|👍| 🌍| ✨|✅|❌|🇪🇺|👩‍💻|🤖| 💡".split("|")
_HALVES = (
    ("\\xf0\\x9f\\x98", "", b"\xf0\x9f\x98"),
    ("\\x8a", "😊", b"\x8a"),
    ("\ufffd", "", b"\xe8\xaf"),
    ("", "", b""),
)


@dataclass(frozen=True)
class Word:
    """A token: its name in logprobs, what it adds to the text, and its bytes."""

    token: str
    content: str
    data: bytes


def vocabulary(rng: np.random.Generator, size: int = 9000) -> list[Word]:
    """Words by falling frequency; the same for the same generator."""
    texts = [*_CODE[16:24], *(" " + word for word in _WORDS), *_CODE, *_WORDS, *_ABROAD, *_EMOJI]
    texts += [str(number) for number in range(1000)]
    drawn = rng.integers(0, len(_SYLLABLES), (4 * size, 3)).tolist()
    forms = rng.integers(0, 3 * 2 * 3, 4 * size).tolist()
    for syllables, form in zip(drawn, forms, strict=True):
        text = "".join(_SYLLABLES[i] for i in syllables[: 1 + form % 3])
        texts.append((" ", "")[form // 3 % 2] + (text.title() if form // 6 == 2 else text))
    texts = list(dict.fromkeys(texts))[:size]
    words = [Word(text, text, text.encode()) for text in texts]
    for place, half in enumerate(_HALVES):
        words.insert(900 + 300 * place, Word(*half))
    return words


# ------------------------------------------------------------------------------------------------------ shapes


@dataclass(frozen=True)
class Shape:
    """How one server writes a response.

    Templates hold ``$names``. By response: ``$id $created $model $print $prompt $finish``. By chunk: ``$i`` (index of the
    choice), ``$pad``, ``$tick`` (created, moving), ``$count`` and ``$total`` (usage so far). By token: ``$text`` ``$args``
    (inside a JSON string), ``$entry`` and ``$tail``; a second token of the chunk has ``$text2 $entry2 $tail2``. Inside an
    entry: ``$t`` token, ``$l`` logprob, ``$b`` bytes, ``$k`` a number. ``$choice`` is where the next four go.
    """

    name: str
    chunk: str
    token: str
    role: str = ""
    finish: str = '{"index":$i,"delta":{},"logprobs":null,"finish_reason":"$finish"}'
    usage: str = ""
    """A chunk of its own at the end."""
    usage_share: float = 1.0
    reasoning: str = ""
    """As ``token``, for the first half of the tokens."""
    entry: str = '{"token":$t,"logprob":$l,"bytes":$b,"top_logprobs":['
    alternative: str = '{"token":$t,"logprob":$l,"bytes":$b}'
    alternatives: int = 5
    before: str = ""
    """Whatever comes before the first chunk, line ends included."""
    chunks_before: int = 0
    done: bool = True
    models: tuple[str, ...] = ("gpt-4o-2024-08-06", "gpt-4o-mini-2024-07-18", "gpt-4.1-2025-04-14")
    sampled_first: bool = False
    """Alternatives begin with the sampled token; else they are sorted, and it may stand anywhere or be missing."""
    double: bool = True
    """float32 values are written as doubles (17 digits); else with the digits a float32 needs."""
    short_exponent: bool = False
    spaced: bool = False
    """As json.dumps: blanks after , and :, and ASCII alone."""
    bytes_null: bool = False
    choices: int = 1
    tool: bool = False


_IDS = '"id":"chatcmpl-$id","object":"chat.completion.chunk","created":$created,"model":"$model"'
_USAGE = '"usage":{"prompt_tokens":$prompt,"completion_tokens":$count,"total_tokens":$total}'
_DETAILS = (
    '"usage":{"prompt_tokens":$prompt,"completion_tokens":$count,"total_tokens":$total,"prompt_tokens_details":'
    '{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}'
)
_CONTENT = '{"index":$i,"delta":{"content":"$text"},"logprobs":{"content":[$entry$tail]}],"refusal":null},"finish_reason":null}'
_OPENAI = f'{{{_IDS},"service_tier":"default","system_fingerprint":"fp_$print","choices":[$choice],"usage":null,"obfuscation":"$pad"}}'
_OPENAI_USAGE = (
    f'{{{_IDS},"service_tier":"default","system_fingerprint":"fp_$print","choices":[],{_DETAILS},"obfuscation":"$pad"}}'
)
_OPENAI_ROLE = (
    '{"index":$i,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}'
)

OPENAI = Shape("openai", _OPENAI, _CONTENT, _OPENAI_ROLE, usage=_OPENAI_USAGE, usage_share=0.7, double=False)
VLLM = Shape(
    "vllm",
    f'{{{_IDS},"choices":[$choice]}}',
    '{"index":$i,"delta":{"content":"$text"},"logprobs":{"content":[$entry$tail]}]},"finish_reason":null,"token_ids":null}',
    '{"index":$i,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}',
    '{"index":$i,"delta":{"content":""},"logprobs":null,"finish_reason":"$finish","stop_reason":null,"token_ids":null}',
    f'{{{_IDS},"choices":[],{_USAGE}}}',
    alternatives=20,
    models=("meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen3-32B", "mistralai/Mistral-Small-24B"),
    sampled_first=True,
    short_exponent=True,
)
MINIMAL = Shape(
    "minimal",
    f'{{{_IDS},"system_fingerprint":"fp_$print","choices":[$choice]}}',
    '{"index":$i,"delta":{"content":"$text"},"finish_reason":null,"logprobs":{"content":[$entry$tail]}]}}',
    '{"index":$i,"delta":{"role":"assistant","content":""},"finish_reason":null,"logprobs":null}',
    '{"index":$i,"delta":{},"finish_reason":"$finish","logprobs":null}',
    f'{{{_IDS},"system_fingerprint":"fp_$print","choices":[],{_USAGE}}}',
    entry='{"token":$t,"logprob":$l,"top_logprobs":[',
    alternative='{"token":$t,"logprob":$l}',
    alternatives=1,
)
TEXT = Shape(
    "text",
    _OPENAI,
    '{"index":$i,"delta":{"content":"$text"},"logprobs":null,"finish_reason":null}',
    _OPENAI_ROLE,
    usage=_OPENAI_USAGE,
    usage_share=0.7,
    alternatives=0,
)

_AZURE = '{"choices":[$choice],"created":$created,"id":"chatcmpl-$id","model":"$model","object":"chat.completion.chunk","system_fingerprint":"fp_$print"}'
_LLAMA = '{"choices":[$choice],"created":$tick,"id":"chatcmpl-$id","model":"$model","system_fingerprint":"b6123-$print","object":"chat.completion.chunk"}'
_LOCAL = ("llama-3.1-8b-instruct.Q4_K_M.gguf", "qwen2.5-7b-instruct")
DIALECTS = (
    OPENAI,
    Shape(
        "azure",
        _AZURE,
        '{"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}},'
        '"delta":{"content":"$text"},"finish_reason":null,"index":$i,"logprobs":{"content":[$entry$tail]}],"refusal":null}}',
        '{"content_filter_results":{},"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":$i,"logprobs":null}',
        '{"content_filter_results":{},"delta":{},"finish_reason":"$finish","index":$i,"logprobs":null}',
        entry='{"bytes":$b,"logprob":$l,"token":$t,"top_logprobs":[',
        alternative='{"bytes":$b,"logprob":$l,"token":$t}',
        before='data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,'
        '"content_filter_results":{"jailbreak":{"filtered":false,"detected":false}}}]}\n\n',
        chunks_before=1,
        double=False,
    ),
    Shape(
        "llama.cpp",
        _LLAMA,
        '{"finish_reason":null,"index":$i,"delta":{"content":"$text"},"logprobs":{"content":[$entry$tail]}]}}',
        '{"finish_reason":null,"index":$i,"delta":{"role":"assistant","content":null}}',
        '{"finish_reason":"$finish","index":$i,"delta":{}}',
        '{"choices":[],"created":$tick,"id":"chatcmpl-$id","model":"$model","system_fingerprint":"b6123-$print","object":"chat.completion.chunk",'
        + _USAGE
        + ',"timings":{"prompt_n":$prompt,"prompt_ms":2.868,"predicted_n":$count,"predicted_per_second":785.6120759799107}}',
        entry='{"id":$k,"token":$t,"bytes":$b,"logprob":$l,"top_logprobs":[',
        alternative='{"id":$k,"token":$t,"bytes":$b,"logprob":$l}',
        models=_LOCAL,
        choices=2,
        before=":\n\n",
    ),
    Shape(
        "llama-cpp-python",
        '{"id":"chatcmpl-$id","model":"$model","created":$created,"object":"chat.completion.chunk","choices":[$choice]}',
        _CONTENT,
        '{"index":$i,"delta":{"role":"assistant"},"logprobs":null,"finish_reason":null}',
        entry='{"token":$t,"bytes":$b,"logprob":$l,"top_logprobs":[',
        alternative='{"token":$t,"logprob":$l,"bytes":$b}',
        models=_LOCAL,
        spaced=True,
        bytes_null=True,
    ),
    Shape(
        "vllm, usage in every chunk",
        f'{{{_IDS},"choices":[$choice],{_USAGE}}}',
        VLLM.token,
        VLLM.role,
        VLLM.finish,
        models=VLLM.models,
        sampled_first=True,
        short_exponent=True,
    ),
    Shape(
        "vllm, two tokens a chunk",
        f'{{{_IDS},"choices":[$choice],"system_fingerprint":"vllm-0.32.0-$print"}}',
        '{"index":$i,"delta":{"content":"$text$text2"},"logprobs":{"content":[$entry$tail]},$entry2$tail2]}]},"finish_reason":null}',
        VLLM.role,
        VLLM.finish,
        VLLM.usage,
        models=VLLM.models,
        sampled_first=True,
        short_exponent=True,
    ),
    Shape(
        "litellm",
        '{"id":"chatcmpl-$id","created":$created,"model":"$model","object":"chat.completion.chunk","choices":[$choice]}',
        '{"index":$i,"delta":{"content":"$text"},"logprobs":{"content":[$entry$tail]}]}}',
        '{"index":$i,"delta":{"role":"assistant","content":""}}',
        '{"finish_reason":"$finish","index":$i,"delta":{}}',
        '{"id":"chatcmpl-$id","created":$created,"model":"$model","object":"chat.completion.chunk","choices":[{"index":0,"delta":{}}],'
        + _USAGE
        + "}",
        entry='{"token":$t,"bytes":$b,"logprob":$l,"top_logprobs":[',
        alternative='{"token":$t,"bytes":$b,"logprob":$l}',
        models=("vllm-prod", "router/fast"),
    ),
    Shape(
        "tgi",
        '{"object":"chat.completion.chunk","id":"","created":$tick,"model":"$model","system_fingerprint":"3.0.1-$print","choices":[$choice],"usage":null}',
        '{"index":$i,"delta":{"role":"assistant","content":"$text"},"logprobs":{"content":[$entry$tail]}]},"finish_reason":null}',
        finish='{"index":$i,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":"$finish"}',
        entry='{"token":$t,"logprob":$l,"top_logprobs":[',
        alternative='{"token":$t,"logprob":$l}',
        models=VLLM.models,
        double=False,
    ),
    Shape(
        "deepseek",
        '{"id":"$id","object":"chat.completion.chunk","created":$created,"model":"$model","system_fingerprint":"fp_$print","choices":[$choice]}',
        '{"index":$i,"delta":{"content":"$text","reasoning_content":null},"logprobs":{"content":[$entry$tail]}],"reasoning_content":null},"finish_reason":null}',
        '{"index":$i,"delta":{"role":"assistant","content":null,"reasoning_content":""},"logprobs":null,"finish_reason":null}',
        usage='{"id":"$id","object":"chat.completion.chunk","created":$created,"model":"$model","choices":[],"usage":{"prompt_tokens":$prompt,'
        '"completion_tokens":$count,"total_tokens":$total,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":12}}',
        reasoning='{"index":$i,"delta":{"content":null,"reasoning_content":"$text"},"logprobs":{"content":null,"reasoning_content":[$entry$tail]}]},"finish_reason":null}',
        models=("deepseek-reasoner",),
        before=": keep-alive\n\n",
    ),
    Shape(
        "ollama",
        '{"id":"chatcmpl-$id","object":"chat.completion.chunk","created":$created,"model":"$model","system_fingerprint":"fp_ollama","choices":[$choice]}',
        '{"index":$i,"delta":{"role":"assistant","content":"$text"},"finish_reason":null}',
        finish='{"index":$i,"delta":{"role":"assistant","content":""},"finish_reason":"$finish"}',
        reasoning='{"index":$i,"delta":{"role":"assistant","content":"","reasoning":"$text"},"finish_reason":null}',
        models=("qwen3:8b", "gpt-oss:20b"),
    ),
    Shape(
        "perplexity",
        '{"id":"$id","model":"$model","created":$created,' + _USAGE + ',"citations":["a","b"],"search_results":[{"title":"t","date":null}],'
        '"object":"chat.completion","choices":[$choice]}',
        '{"index":$i,"finish_reason":null,"message":{"role":"assistant","content":"whole"},"delta":{"role":"assistant","content":"$text"}}',
        finish='{"index":$i,"finish_reason":"$finish","message":{"role":"assistant","content":"whole"},"delta":{"role":"assistant","content":""}}',
        models=("sonar", "sonar-pro"),
        spaced=True,
        done=False,
    ),
    Shape(
        "tools",
        _OPENAI,
        '{"index":$i,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"$args"}}]},"logprobs":null,"finish_reason":null}',
        '{"index":$i,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_$id","type":"function","function":'
        '{"name":"search_documents","arguments":""}}],"refusal":null},"logprobs":null,"finish_reason":null}',
        tool=True,
    ),
)  # fmt: skip
STYLES: dict[str, tuple[Shape, ...]] = {
    "openai": (OPENAI,),
    "vllm": (VLLM,),
    "minimal": (MINIMAL,),
    "text": (TEXT,),
    "dialects": DIALECTS,
}
