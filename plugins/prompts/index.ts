import { type Control, type ControlHost, plugin, schema } from 'portcullis/sdk';
import { collections } from './collections/collections.ts';
import { labels } from './labels/labels.ts';
import { migrations } from './migrations.ts';
import { playgroundAction } from './playground/playground.ts';
import { reactions } from './reactions.ts';
import { loadPrompt, loadPromptPartial } from './records/loaders.ts';
import { promptPartials } from './records/partials.ts';
import { prompts } from './records/prompts.ts';
import { promptHooks } from './run/hooks.ts';
import { renderAction } from './run/render.ts';
import { sharingActions } from './sharing/actions.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: (_, host) => promptHooks(host),
  control,
});

function control(host: ControlHost): Control {
  return {
    resources: [prompts(host), promptPartials(host), collections(), labels()],
    actions: [renderAction(host), playgroundAction(host), ...sharingActions],
    reactions,
    loaders: { prompt: loadPrompt, promptPartial: loadPromptPartial },
  };
}
