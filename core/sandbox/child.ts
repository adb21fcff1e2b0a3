import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { GuestProgram } from './isolates.ts';
import { type FromChild, pipe, type ToChild } from './messages.ts';
import { MessageReader, writeMessage } from './wire.ts';

/** The sandbox's process: it holds isolates, and knows no secret, no file and no variable. */
const programs = new Map<string, GuestProgram>();
const owners = new Map<number, GuestProgram>();

/** Runs between two looks at the memory, and how much of it a process may keep. */
const runsBetweenLooks = 100;
const maxRss = 768 * 1024 * 1024;
let runs = 0;

const reader = new MessageReader<ToChild>(Number.POSITIVE_INFINITY, receive);
/** One buffer for all that is read: a new one each time takes as long as the rest of it. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);
const gateway = new Socket({
  fd: pipe,
  onread: {
    buffer,
    callback: (length) => {
      reader.read(buffer.subarray(0, length));
      return true;
    },
  },
});

function send(message: FromChild, text = ''): void {
  if (gateway.writable) writeMessage(gateway, message, text);
}

function start(order: ToChild & { type: 'run' }, payload: string): void {
  const { id, key } = order;
  const program = programs.get(key);
  if (program === undefined) {
    send({ type: 'failed', id, fault: 'disturbed' });
    return;
  }
  owners.set(id, program);
  void program.run(order, payload).finally(() => owners.delete(id));
  runs += 1;
  if (runs % runsBetweenLooks === 0 && process.memoryUsage.rss() > maxRss)
    send({ type: 'worn', why: 'it has grown too big' });
}

function receive(message: ToChild, text: string): void {
  switch (message.type) {
    case 'load':
      programs.set(message.key, new GuestProgram(text, message.memoryMb, send));
      return;
    case 'unload':
      programs.get(message.key)?.unload();
      programs.delete(message.key);
      return;
    case 'run':
      start(message, text);
      return;
    case 'stop':
      owners.get(message.id)?.stop(message.id);
      return;
    case 'answer':
      owners.get(message.id)?.answer(message.id, message.call, text);
      return;
  }
}

// Calls into an isolate that has just been thrown away end so; the run that made them has been told.
process.on('unhandledRejection', () => {});
gateway.on('error', () => {});
gateway.on('close', () => process.exit());

try {
  // Guests get what the gateway leaves over.
  setPriority(5);
} catch {
  // Not allowed here: then they share alike.
}
send({ type: 'ready' });
