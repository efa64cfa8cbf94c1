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
