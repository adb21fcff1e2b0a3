import { setPriority } from 'node:os';
import { GuestProgram } from './isolates.ts';
import type { FromChild, ToChild } from './messages.ts';

/** The sandbox's process: it holds isolates, and knows no secret, no file and no variable. */
const programs = new Map<string, GuestProgram>();
const owners = new Map<number, GuestProgram>();

/** Runs between two looks at the memory, and how much of it a process may keep. */
const runsBetweenLooks = 100;
const maxRss = 768 * 1024 * 1024;
let runs = 0;

function send(message: FromChild): void {
  if (process.connected) process.send?.(message);
}

function start(order: ToChild & { type: 'run' }): void {
  const { id, key } = order;
  const program = programs.get(key);
  if (program === undefined) {
    send({ type: 'failed', id, fault: 'disturbed' });
    return;
  }
  owners.set(id, program);
  void program.run(order).finally(() => owners.delete(id));
  runs += 1;
  if (runs % runsBetweenLooks === 0 && process.memoryUsage.rss() > maxRss)
    send({ type: 'worn', why: 'it has grown too big' });
}

process.on('message', (message: ToChild) => {
  switch (message.type) {
    case 'load':
      programs.set(message.key, new GuestProgram(message.source, message.memoryMb, send));
      return;
    case 'unload':
      programs.get(message.key)?.unload();
      programs.delete(message.key);
      return;
    case 'run':
      start(message);
      return;
    case 'stop':
      owners.get(message.id)?.stop(message.id);
      return;
    case 'answer':
      owners.get(message.id)?.answer(message.id, message.call, message.answer);
      return;
  }
});

// Calls into an isolate that has just been thrown away end so; the run that made them has been told.
process.on('unhandledRejection', () => {});
process.on('disconnect', () => process.exit());

try {
  // Guests get what the gateway leaves over.
  setPriority(5);
} catch {
  // Not allowed here: then they share alike.
}
send({ type: 'ready' });
