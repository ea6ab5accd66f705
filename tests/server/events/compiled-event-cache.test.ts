/** A folder that was clean when a server started is not judged again by the next, until anything in it is another. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { err } from '../../../engine/index.ts'
import {
  compileFolder,
  checkFolderHere,
  readFolder,
} from '../../../server/events/files/event-folder.ts'
import type { Compiled } from '../../../server/events/files/event-folder.ts'
import { TOP } from '../../browser/serve.ts'

let work: string
let events: string
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'rollcall-kept-'))
  events = join(work, 'events')
  cpSync(join(TOP, 'events'), events, { recursive: true })
})
afterEach(() => rmSync(work, { recursive: true, force: true }))

/** What a start makes of the folder, and whether the checker was asked. */
async function started(production = false): Promise<Compiled & { readonly isJudged: boolean }> {
  let isJudged = false
  const compiled = await compileFolder(
    await readFolder(events),
    { cacheFolder: join(work, 'cache'), production },
    (toJudge) => {
      isJudged = true
      return checkFolderHere(toJudge)
    },
  )
  return { ...compiled, isJudged }
}
const changed = (name: string, from: string, to: string): void => {
  const file = join(events, name)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
}

test('the third start reports the same findings without running the checker', async () => {
  const first = await started()
  const second = await started()
  const third = await started()
  expect([first.isJudged, second.isJudged, third.isJudged]).toEqual([true, true, false])
  expect({ ...third, isJudged: true }).toEqual(first)
})

test.each([
  ['an event file', 'afpicon2026.yaml', 'label: City', 'label: Town'],
  ['the words of the landing page', '_shared/site.yaml', 'Rollcall', 'Roll call'],
  ['a shared text', '_shared/texts.yaml', 'Please try again.', 'Try again, please.'],
])('runs the checker when %s changes', async (_, name, from, to) => {
  await started()
  await started()
  changed(name, from, to)
  expect((await started()).isJudged).toBe(true)
})

test('runs the checker in production for a file that was valid in the sandbox', async () => {
  await started()
  await started()
  expect((await started(true)).isJudged).toBe(true)
})

test('cached findings are reported again', async () => {
  await started()
  await started()
  changed('_shared/site.yaml', 'format: 1', 'format: 9')
  const found = await started()
  expect(found.findings).not.toBe('')
  expect((await started()).findings).toBe(found.findings)
  expect((await started()).findings).toBe(found.findings)
})

test('a check that timed out is not repeated for an unchanged file', async () => {
  await started()
  await started()
  const options = { cacheFolder: join(work, 'cache'), production: false }
  const compiled = await compileFolder(await readFolder(events), options, async () => err('late'))
  expect(compiled.served.length).toBeGreaterThan(1)
})
