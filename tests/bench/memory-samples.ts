/** The most memory that a process was seen to use. */
import { readFileSync } from 'node:fs'

const SAMPLE_MS = 100
const KIB_PER_MIB = 1024

/** `take` answers the maximum since the last call, in MiB. */
export function startMemorySamples(pid: number): { take(): number; stop(): void } {
  let most = 0
  const look = (): void => {
    most = Math.max(most, readMemory(pid))
  }
  const timer = setInterval(look, SAMPLE_MS)
  return {
    take: () => {
      look()
      const taken = most
      most = 0
      return taken
    },
    stop: () => clearInterval(timer),
  }
}

/** Zero for a process that has ended. */
function readMemory(pid: number): number {
  try {
    const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kib) / KIB_PER_MIB
  } catch {
    return 0
  }
}
