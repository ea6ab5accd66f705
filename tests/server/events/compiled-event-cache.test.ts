/**
 * A folder that was valid at one startup is not checked again at the next, unless one of its files
 * has changed.
 */
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { err } from '../../../engine/index.ts'
import {
  compileFolder,
  checkFolderHere,
  readFolder,
} from '../../../server/events/files/event-folder.ts'
import type { CompiledFolder } from '../../../server/events/files/event-folder.ts'
import { TOP } from '../../browser/serve.ts'

let temporaryFolder: string
let events: string
beforeEach(() => {
  temporaryFolder = mkdtempSync(join(tmpdir(), 'rollcall-kept-'))
  events = join(temporaryFolder, 'events')
  cpSync(join(TOP, 'events'), events, { recursive: true })
})
afterEach(() => rmSync(temporaryFolder, { recursive: true, force: true }))

/** Compiles the events folder as a startup does. Also returns whether the checker ran. */
async function compileAtStartup(
  production = false,
): Promise<CompiledFolder & { readonly isJudged: boolean }> {
  let isCompiled = false
  const result = await compileFolder(
    await readFolder(events),
    { cacheFolder: join(temporaryFolder, 'cache'), production },
    (input) => {
      isCompiled = true
      return checkFolderHere(input)
    },
  )
  return { ...result, isJudged: isCompiled }
}
const changeFile = (name: string, from: string, to: string): void => {
  const file = join(events, name)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
}

test('the third start reports the same findings without running the checker', async () => {
  const first = await compileAtStartup()
  const second = await compileAtStartup()
  const third = await compileAtStartup()
  expect([first.isJudged, second.isJudged, third.isJudged]).toEqual([true, true, false])
  expect({ ...third, isJudged: true }).toEqual(first)
})

test.each([
  ['an event file', 'afpicon2026.yaml', 'label: City', 'label: Town'],
  ["the landing page's texts", '_shared/site.yaml', 'Rollcall', 'Roll call'],
  ['a shared text', '_shared/texts.yaml', 'Please try again.', 'Try again, please.'],
])('runs the checker when %s changes', async (_, name, from, to) => {
  await compileAtStartup()
  await compileAtStartup()
  changeFile(name, from, to)
  expect((await compileAtStartup()).isJudged).toBe(true)
})

test('the next release does not check the same files again, although their folder has another name', async () => {
  await compileAtStartup()
  const resultBefore = await compileAtStartup()
  const previousFolder = events
  events = join(temporaryFolder, 'events-of-the-next-release')
  renameSync(previousFolder, events)
  const resultAfter = await compileAtStartup()
  expect(resultAfter.isJudged).toBe(false)
  expect(resultAfter.served).toEqual(resultBefore.served)
})

test('runs the checker when an event file is renamed', async () => {
  await compileAtStartup()
  await compileAtStartup()
  renameSync(join(events, 'afpicon2026.yaml'), join(events, 'afpicon2027.yaml'))
  const renamedFile = await compileAtStartup()
  expect(renamedFile.isJudged).toBe(true)
})

test('runs the checker in production for a file that was valid in the sandbox', async () => {
  await compileAtStartup()
  await compileAtStartup()
  expect((await compileAtStartup(true)).isJudged).toBe(true)
})

test('cached findings are reported again', async () => {
  await compileAtStartup()
  await compileAtStartup()
  changeFile('_shared/site.yaml', 'format: 1', 'format: 9')
  const result = await compileAtStartup()
  expect(result.findings).not.toBe('')
  expect((await compileAtStartup()).findings).toBe(result.findings)
  expect((await compileAtStartup()).findings).toBe(result.findings)
})

test('a check that timed out is not repeated for an unchanged file', async () => {
  await compileAtStartup()
  await compileAtStartup()
  const options = { cacheFolder: join(temporaryFolder, 'cache'), production: false }
  const timedOutResult = await compileFolder(await readFolder(events), options, async () =>
    err('late'),
  )
  expect(timedOutResult.served.length).toBeGreaterThan(1)
})
