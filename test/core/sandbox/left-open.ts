import { checkInput, createCheckHost } from 'portcullis/sdk/testing';
import { createSandbox } from '../../../core/sandbox/sandbox.ts';
import { programOf } from './sandboxed.ts';

// Nobody closes it: the process must end all the same.
const host = createCheckHost();
const sandbox = createSandbox({ log: host.log, now: () => Date.now() });
const program = await programOf('export default () => ({ pass: true })');
const run = { check: 'default', config: {}, input: checkInput(), host, timeoutMs: 5000 };
const { pass } = await sandbox.run(program, run);
process.stdout.write(`${pass} ${sandbox.state.pids.join(' ')}\n`);
