import { writeSync } from 'node:fs';
import { visible } from './visible.ts';

/**
 * Runs work in which code of others runs in this process. Where that code ends the process, or breaks it, before the work is
 * over, the exit code is 1 and standard error says why: nobody takes it for a success.
 */
export async function toItsEnd<T>(work: () => Promise<T>): Promise<T> {
  let said = false;
  const fail = (text: string) => {
    process.exitCode = 1;
    // At the end of a process nothing else is still written.
    if (!said) writeSync(2, `${visible(text)}\n`);
    said = true;
  };
  const ended = () => fail('The unit ended the process, or waits for ever, before its test is over.');
  const broken = (error: unknown) => {
    fail(`The unit threw where nobody can catch it: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  };
  process.on('exit', ended);
  process.on('uncaughtException', broken);
  try {
    return await work();
  } finally {
    process.off('exit', ended);
    process.off('uncaughtException', broken);
  }
}
