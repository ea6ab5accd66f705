/** Kills the store's child process while 64 clients register. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { InjectedFaults } from '../../server/storage/database/fault-injection.ts'
import { findIncomplete, seed, createRandom } from './check-registrations.ts'
import { chooseRuns, registerThorough } from '../runs.ts'

const rounds = chooseRuns(5, 2)
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-killed-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/**
 * Starts the store's process, and kills it `waitMs` after the first acknowledgement. Returns the acknowledged numbers.
 */
async function killAfter(waitMs: number, faults: InjectedFaults): Promise<readonly string[]> {
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'store-process.ts'),
      folder,
      '64',
      '1000000',
      JSON.stringify(faults),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let output = ''
  let timer: NodeJS.Timeout | null = null
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.includes('ACK')) timer ??= setTimeout(() => child.kill('SIGKILL'), waitMs)
  })
  const signal = await new Promise((resolve) => {
    child.on('close', (_, signal) => resolve(signal))
  })
  expect(signal).toBe('SIGKILL')
  return [...output.matchAll(/^ACK (\S+)\n/gm)].map(([, regNo = '']) => regNo)
}

test(`every acknowledged registration is complete after ${rounds} kills (seed ${seed})`, async () => {
  const random = createRandom(seed)
  const acknowledgedNumbers: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const newNumbers = await killAfter(random() * 300, {})
    expect(newNumbers.length).toBeGreaterThan(0)
    acknowledgedNumbers.push(...newNumbers)
    expect(findIncomplete(folder, acknowledgedNumbers, null)).toEqual([])
  }
})

registerThorough(() => {
  test('negative control: a store that responds before the commit loses acknowledged registrations', async () => {
    const acknowledgedNumbers = await killAfter(0, { respondBeforeCommitMs: 60_000 })
    expect(findIncomplete(folder, acknowledgedNumbers, null)).toContainEqual(
      expect.stringContaining('0 registrations, 0 payments, 0 audit rows'),
    )
  })
})
