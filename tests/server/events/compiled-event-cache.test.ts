/** A folder that was valid at one startup is checked at the next startup only if a file has changed. */
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { err } from '../../../engine/index.ts'
import {
  compileFolder,
  checkFolderInThisThread,
  readFolder,
} from '../../../server/events/files/event-folder.ts'
import type { CompiledFolder } from '../../../server/events/files/event-folder.ts'
import { ROOT } from '../../browser/serve.ts'

let temporaryFolder: string
let eventsFolder: string
beforeEach(() => {
  temporaryFolder = mkdtempSync(join(tmpdir(), 'rollcall-kept-'))
  eventsFolder = join(temporaryFolder, 'events')
  cpSync(join(ROOT, 'events'), eventsFolder, { recursive: true })
})
afterEach(() => rmSync(temporaryFolder, { recursive: true, force: true }))

/** Compiles the events folder as at startup. Also returns whether the checker ran. */
async function compileAtStartup(
  isProduction = false,
): Promise<CompiledFolder & { readonly hasCheckerRun: boolean }> {
  let hasCheckerRun = false
  const result = await compileFolder(
    await readFolder(eventsFolder),
    { cacheFolder: join(temporaryFolder, 'cache'), production: isProduction },
    (input) => {
      hasCheckerRun = true
      return checkFolderInThisThread(input)
    },
  )
  return { ...result, hasCheckerRun }
}
const changeFile = (name: string, oldText: string, newText: string): void => {
  const file = join(eventsFolder, name)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(oldText)
  writeFileSync(file, text.replace(oldText, newText))
}

test('the third start reports the same findings without running the checker', async () => {
  const firstStart = await compileAtStartup()
  const secondStart = await compileAtStartup()
  const thirdStart = await compileAtStartup()
  expect([firstStart.hasCheckerRun, secondStart.hasCheckerRun, thirdStart.hasCheckerRun]).toEqual([
    true,
    true,
    false,
  ])
  expect({ ...thirdStart, hasCheckerRun: true }).toEqual(firstStart)
})

test.each([
  ['an event file', 'afpicon2026.yaml', 'label: City', 'label: Town'],
  ["the landing page's texts", '_shared/site.yaml', 'Rollcall', 'Roll call'],
  ['a shared text', '_shared/texts.yaml', 'Please try again.', 'Try again, please.'],
])('runs the checker when %s changes', async (_, name, oldText, newText) => {
  await compileAtStartup()
  await compileAtStartup()
  changeFile(name, oldText, newText)
  expect((await compileAtStartup()).hasCheckerRun).toBe(true)
})

test('the next release does not check the same files again, although the folder has a different name', async () => {
  await compileAtStartup()
  const resultBefore = await compileAtStartup()
  const previousFolder = eventsFolder
  eventsFolder = join(temporaryFolder, 'events-of-the-next-release')
  renameSync(previousFolder, eventsFolder)
  const resultAfter = await compileAtStartup()
  expect(resultAfter.hasCheckerRun).toBe(false)
  expect(resultAfter.served).toEqual(resultBefore.served)
})

test('runs the checker when an event file is renamed', async () => {
  await compileAtStartup()
  await compileAtStartup()
  renameSync(join(eventsFolder, 'afpicon2026.yaml'), join(eventsFolder, 'afpicon2027.yaml'))
  const renamedFile = await compileAtStartup()
  expect(renamedFile.hasCheckerRun).toBe(true)
})

test(
  'runs the checker in production for a file that was valid in the sandbox',
  { tags: ['slow'] },
  async () => {
    await compileAtStartup()
    await compileAtStartup()
    expect((await compileAtStartup(true)).hasCheckerRun).toBe(true)
  },
)

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
  const timedOutResult = await compileFolder(await readFolder(eventsFolder), options, async () =>
    err('late'),
  )
  expect(timedOutResult.served.length).toBeGreaterThan(1)
})
