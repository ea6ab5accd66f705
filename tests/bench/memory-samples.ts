/** Samples the memory of a process, and reports its maximum. */
import { readFileSync } from 'node:fs'

const SAMPLE_MS = 100
const KIB_PER_MIB = 1024

/** Starts sampling. `take` returns the maximum since its last call, in MiB. */
export function startMemorySamples(pid: number): { take(): number; stop(): void } {
  let maxMib = 0
  const sample = (): void => {
    maxMib = Math.max(maxMib, readMemoryMib(pid))
  }
  const timer = setInterval(sample, SAMPLE_MS)
  return {
    take: () => {
      sample()
      const maximum = maxMib
      maxMib = 0
      return maximum
    },
    stop: () => clearInterval(timer),
  }
}

/** Returns the resident memory, or zero for a process that has ended. */
function readMemoryMib(pid: number): number {
  try {
    const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kib) / KIB_PER_MIB
  } catch {
    return 0
  }
}
