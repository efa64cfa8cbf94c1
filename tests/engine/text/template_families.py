"""Chat templates in the manner of the usual families, written for tests."""

CHATML = """\
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

# Qwen 3: earlier reasoning is dropped, and thinking can be switched off.
REASONING = """\
{%- for message in messages %}
    {%- set content = message.content %}
    {%- if message.role == 'assistant' and '</think>' in content %}
        {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
    {%- endif %}
    {{- '<|im_start|>' ~ message.role ~ '\\n' ~ content ~ '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""

# Llama 3: contents are trimmed, the text begins with its own token.
LLAMA3 = """\
{%- set loop_messages = messages %}
{%- for message in loop_messages %}
    {%- set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'
        + message['content'] | trim + '<|eot_id|>' %}
    {%- if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}
    {{- content }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""

# Llama 2: no control tokens but the first and last, a space before replies.
LLAMA2 = """\
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {{- bos_token + '[INST] ' + message.content | trim + ' [/INST]' }}
    {%- elif message.role == 'assistant' %}
        {{- ' ' + message.content | trim + ' ' + eos_token }}
    {%- endif %}
{%- endfor %}
"""

# Gemma: other role names, no system messages.
GEMMA = """\
{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}
    {{ raise_exception('System role not supported') }}
{%- endif %}
{%- for message in messages %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Conversation roles must alternate') }}
    {%- endif %}
    {%- set role = 'model' if message['role'] == 'assistant' else message['role'] %}
    {{- '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}
"""

# Phi 3: a token for each role.
PHI3 = """\
{{ bos_token }}
{%- for message in messages %}
    {{- '<|' + message['role'] + '|>\\n' + message['content'] + '<|end|>\\n' }}
{%- endfor %}
{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}
"""

# Mistral: roles must alternate, and a system message belongs to what the person says.
MISTRAL = """\
{%- if messages[0].role == 'system' %}
    {%- set system_message = messages[0].content %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('After the optional system message, roles must alternate') }}
    {%- endif %}
    {%- if message.role == 'user' %}
        {%- if loop.first and system_message is defined %}
            {{- '[INST]' + system_message + '\\n\\n' + message.content + '[/INST]' }}
        {%- else %}
            {{- '[INST]' + message.content + '[/INST]' }}
        {%- endif %}
    {%- else %}
        {%- generation %}{{ message.content + eos_token }}{% endgeneration %}
    {%- endif %}
{%- endfor %}
"""

# DeepSeek R1: the prompt begins the reasoning, and earlier reasoning is dropped.
DEEPSEEK = """\
{{- bos_token }}
{%- set ns = namespace(system='') %}
{%- for message in messages %}
    {%- if message['role'] == 'system' %}{% set ns.system = message['content'] %}{% endif %}
{%- endfor %}
{{- ns.system }}
{%- for message in messages %}
    {%- if message['role'] == 'system' %}{% continue %}{% endif %}
    {%- if message['role'] == 'user' %}
        {{- '<｜User｜>' + message['content'] }}
    {%- else %}
        {{- '<｜Assistant｜>' + message['content'].split('</think>')[-1] + eos_token }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<｜Assistant｜><think>\\n' }}{% endif %}
"""

# gpt-oss: channels, a date, an effort in a word, and reasoning beside the answer.
HARMONY = """\
{%- macro system_text() %}
    {{- 'Today: ' + strftime_now('%Y-%m-%d') + '\\n' }}
    {{- 'Reasoning: ' + reasoning_effort }}
{%- endmacro %}
{%- if reasoning_effort is not defined %}{% set reasoning_effort = 'medium' %}{% endif %}
{{- '<|start|>system<|message|>' + system_text() + '<|end|>' }}
{%- for message in messages %}
    {%- if message.role == 'assistant' %}
        {%- if '<|channel|>' in message.content %}
            {{- raise_exception('You have passed a message containing <|channel|> tags') }}
        {%- endif %}
        {%- if loop.last and message.thinking is defined %}
            {{- '<|start|>assistant<|channel|>analysis<|message|>' + message.thinking + '<|end|>' }}
        {%- endif %}
        {{- '<|start|>assistant<|channel|>final<|message|>' + message.content + '<|end|>' }}
    {%- else %}
        {{- '<|start|>' + message.role + '<|message|>' + message.content + '<|end|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|start|>assistant' }}{% endif %}
"""

# Gemma 4: its own word for the model, and reasoning only if it is asked for.
GEMMA4 = """\
{{- bos_token }}
{%- if enable_thinking is defined and enable_thinking %}
    {{- '<|turn>system\\n<|think|>\\n<turn|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- set role = 'model' if message.role == 'assistant' else message.role %}
    {{- '<|turn>' ~ role ~ '\\n' ~ (message.content | trim) ~ '<turn|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|turn>model\\n' }}{% endif %}
"""

# Granite and DeepSeek 3.1 ask in this word, Command A and Seed-OSS in theirs.
THINKING = "{{ messages[0].content }}{% if thinking %}<|think|>{% endif %}"
REASONING_ASKED = "{{ messages[0].content }}{% if reasoning %}<|START_THINKING|>{% endif %}"
BUDGET = "{{ messages[0].content }}{% if thinking_budget == 0 %} Do not think.{% endif %}"

# Templates for images: contents are lists of parts.
PARTS = """\
{%- for message in messages %}
    {{- '<|' + message.role + '|>' }}
    {%- for part in message.content %}
        {%- if part.type == 'text' %}{{ part.text }}{% endif %}
    {%- endfor %}
{%- endfor %}
"""

# Made for tools: macros and JSON, with several messages for one reply.
TOOLS = """\
{%- macro described(tool) %}{{ tool | tojson(indent=2) }}{% endmacro %}
{%- if tools %}{% for tool in tools %}{{ described(tool) }}{% endfor %}{% endif %}
{%- for message in messages %}
    {%- if message.tool_calls is defined and message.tool_calls %}
        {%- for call in message.tool_calls %}{{ call.function | tojson }}{% endfor %}
    {%- endif %}
    {{- message.role ~ ': ' ~ message.content ~ '\\n' }}
{%- endfor %}
"""
