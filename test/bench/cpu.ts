import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Linux counts the time of processes in ticks of this length, whatever the kernel's own clock. */
const tickMicros = 10_000;

/** CPU time of a process with all its threads since it started, user and system, in microseconds. */
export function cpuMicros(pid: number): number {
  if (process.platform !== 'linux') return clockSeconds(ps(pid, 'time')) * 1e6;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name before the last bracket may hold anything; utime and stime are fields 14 and 15, the 12th and 13th after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMicros;
}

/** The most memory that a process has held, in bytes; where the system keeps no maximum, what it holds now. */
export function maxRssBytes(pid: number): number {
  if (process.platform !== 'linux') return Number(ps(pid, 'rss')) * 1024;
  const highWater = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(highWater?.[1] ?? 0) * 1024;
}

function ps(pid: number, column: string): string {
  return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();
}

/** Reads `minutes:seconds` or `hours:minutes:seconds`. */
function clockSeconds(text: string): number {
  return text.split(':').reduce((total, part) => total * 60 + Number(part), 0);
}
