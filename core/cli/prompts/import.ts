import { GatewayError } from 'portcullis/sdk';
import type { Console } from '../command.ts';
import type { Api } from './api.ts';
import { apply } from './apply.ts';
import { fileText, pathOf } from './file-form.ts';
import { readFolder } from './folder.ts';
import { lineDiff } from './line-diff.ts';
import { isChanged, isMade, planOf, type Step } from './plan.ts';

export interface ImportOptions {
  /** Whether the latest version of each file becomes the Published one. */
  readonly publish: boolean;
  readonly dryRun: boolean;
  /** Whether a dry run that finds something to do gives 1. */
  readonly check: boolean;
}

/** Makes the gateway hold what the folder says; deletes nothing. Gives the exit code. */
export async function importPrompts(
  folder: string,
  api: Api,
  { publish, dryRun, check }: ImportOptions,
  out: Console,
): Promise<number> {
  const files = await readFolder(folder);
  if (files.length === 0) {
    throw new GatewayError('bad_request', `${folder} holds no files in prompts/ or partials/.`, { param: 'folder' });
  }
  const plan = await planOf(api, files, publish);
  if (!dryRun) await apply(api, plan, out);
  else for (const step of plan.steps) tell(step, out);
  const count = (which: (step: Step) => boolean) => plan.steps.filter(which).length;
  const idle = count((step) => !hasWork(step));
  out.print(
    `${dryRun ? 'To do: ' : ''}${count(isMade)} made, ${count(isChanged)} changed, ${count(({ publishes }) => publishes)} published, ${idle} as they were.`,
  );
  return check && idle < plan.steps.length ? 1 : 0;
}

function hasWork(step: Step): boolean {
  return isMade(step) || isChanged(step) || step.publishes;
}

function tell({ file, record, latest, wanted, publishes }: Step, out: Console): void {
  const path = pathOf(file);
  const before = latest === undefined ? '' : fileText(latest.content);
  const difference = lineDiff(before, fileText(wanted));
  if (difference !== '') {
    const from = record === undefined ? '/dev/null' : `gateway/${record.kind}/${record.slug}`;
    out.print(`--- ${from}\n+++ ${path}\n${difference}`);
  }
  if (publishes) out.print(`${path}: its latest version would be published.`);
}
