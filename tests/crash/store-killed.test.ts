/** The store by itself in a process that is killed while 64 clients register. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { InjectedFaults } from '../../server/storage/database/fault-injection.ts'
import { brokenIn, seed, seeded } from './check-registrations.ts'
import { runs, onlyThorough } from '../runs.ts'

const rounds = runs(5, 2)
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-killed-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs until killed, so many milliseconds after the first acknowledgement. Answers what was acknowledged. */
async function killedAfter(wait_ms: number, seam: InjectedFaults): Promise<readonly string[]> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'store-process.ts'), folder, '64', '1000000', JSON.stringify(seam)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let said = ''
  let timer: NodeJS.Timeout | null = null
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.includes('ACK')) timer ??= setTimeout(() => child.kill('SIGKILL'), wait_ms)
  })
  const signal = await new Promise((resolve) => {
    child.on('close', (_, by) => resolve(by))
  })
  expect(signal).toBe('SIGKILL')
  return [...said.matchAll(/^ACK (\S+)\n/gm)].map(([, regNo = '']) => regNo)
}

test(`every acknowledged registration is complete after ${rounds} kills (seed ${seed})`, async () => {
  const random = seeded(seed)
  const acknowledged: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const fresh = await killedAfter(random() * 300, {})
    expect(fresh.length).toBeGreaterThan(0)
    acknowledged.push(...fresh)
    expect(brokenIn(folder, acknowledged, null)).toEqual([])
  }
})

onlyThorough(() => {
  test('negative control: responding before the commit loses acknowledged registrations', async () => {
    const acknowledged = await killedAfter(0, { answerBeforeCommitMs: 60_000 })
    expect(brokenIn(folder, acknowledged, null)).toContainEqual(
      expect.stringContaining('0 registrations, 0 payments, 0 audit rows'),
    )
  })
})
