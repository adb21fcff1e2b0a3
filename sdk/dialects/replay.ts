import type { Choice, Completion, Delta, Part } from './neutral.ts';

/** A whole answer as a well-formed stream. Cache marks, which answers do not have, are left out. */
export function deltasOf(completion: Completion): readonly Delta[] {
  const { id, model, created, serviceTier, systemFingerprint, extra, usage } = completion;
  return [
    {
      type: 'start',
      id,
      model,
      ...(created === undefined ? {} : { created }),
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...(systemFingerprint === undefined ? {} : { systemFingerprint }),
      ...(extra === undefined ? {} : { extra }),
    },
    ...completion.choices.flatMap(choiceDeltas),
    ...(usage === undefined ? [] : [{ type: 'usage', usage } satisfies Delta]),
    { type: 'end' },
  ];
}

function choiceDeltas(choice: Choice): readonly Delta[] {
  const { index, logprobs, extra, nativeFinish, stopSequence } = choice;
  return [
    ...(logprobs === undefined ? [] : [{ type: 'logprobs', choice: index, logprobs } satisfies Delta]),
    ...choice.parts.flatMap((part, block) => partDeltas(part, index, block)),
    ...(extra === undefined ? [] : [{ type: 'extra', choice: index, fields: extra } satisfies Delta]),
    {
      type: 'finish',
      choice: index,
      reason: choice.finish,
      ...(nativeFinish === undefined ? {} : { native: nativeFinish }),
      ...(stopSequence === undefined ? {} : { stopSequence }),
    },
  ];
}

function partDeltas(part: Part, choice: number, block: number): readonly Delta[] {
  const place = { choice, block };
  switch (part.type) {
    case 'text':
      return [
        { type: 'text', ...place, text: part.text },
        ...(part.citations ?? []).map((citation): Delta => ({ type: 'citation', ...place, citation })),
      ];
    case 'refusal':
      return [{ type: 'refusal', ...place, text: part.text }];
    case 'thinking':
      return [
        {
          type: 'thinking',
          ...place,
          text: part.text,
          ...(part.itemId === undefined ? {} : { itemId: part.itemId }),
        },
        ...(part.signature === undefined
          ? []
          : [{ type: 'signature', ...place, signature: part.signature } satisfies Delta]),
      ];
    case 'redacted-thinking':
      return [{ ...part, ...place }];
    case 'tool-call': {
      const { cache: _, arguments: text, ...call } = part;
      return [
        { ...call, ...place },
        ...(text === '' ? [] : [{ type: 'tool-arguments', ...place, text } satisfies Delta]),
      ];
    }
    case 'image':
    case 'file':
    case 'audio':
    case 'tool-result':
    case 'native':
      return [{ type: 'part', ...place, part }];
  }
}
