import { closeSync, openSync } from 'node:fs';
import { Paces } from '../../../core/sandbox/paces.ts';
import { SandboxProcess } from '../../../core/sandbox/process.ts';

// Takes all descriptors that there are, starts a process, gives them back, and starts another.
const events = { onWorn: () => {}, onOverdue: () => {}, onGone: () => {} };
const began = async () => {
  const process = new SandboxProcess(new Paces(), events);
  const up = await process.ready();
  await process.close();
  return up;
};
const first = await began();
const taken: number[] = [];
const takeAll = () => {
  for (;;) taken.push(openSync('/dev/null', 'r'));
};
try {
  takeAll();
} catch {
  // None is left.
}
const without = await began();
for (const descriptor of taken) closeSync(descriptor);
process.stdout.write(`${first} ${without} ${await began()}\n`);
