/**
 * The archive that `npm run release` builds contains only what is needed to run as another user on a read-only root
 * file system.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHECKSUMS_FILE, FILE_NAME, FOLDER_NAME, stageRelease } from '../../../bin/release.ts'
import type * as Stamp from '../../../server/cli/build/stamp.ts'
import { readRegNos, createInstallation, registerOne } from './operate-steps/installation.ts'

let base: string
let release: string
// Servers started by other tests in this process set a umask that makes files private, but all users must be able to
// read a release.
let umaskBefore: number
beforeAll(() => {
  umaskBefore = process.umask(0o022)
  base = mkdtempSync(join(tmpdir(), 'rollcall-release-'))
  chmodSync(base, 0o755)
  release = join(base, FOLDER_NAME)
  stageRelease(release, (from, to) => {
    try {
      linkSync(from, to)
    } catch {
      // The folder is on another disk.
      copyFileSync(from, to)
    }
  })
})
afterAll(() => {
  process.umask(umaskBefore)
  rmSync(base, { recursive: true, force: true })
})

test("a release's file name states the version, platform and architecture; every file has a checksum; build and test files are excluded", () => {
  expect(FILE_NAME).toBe(`${FOLDER_NAME}-${process.platform}-${process.arch}.tar.gz`)
  const listedFiles = readFileSync(join(release, CHECKSUMS_FILE), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.slice(66))
  for (const requiredFile of [
    'bin/rollcall',
    'bin/rollcall.js',
    'deploy/rollcall.socket',
    'UPGRADING.md',
    'build/run-command.js',
    'build/sources',
    'web/dist/sources',
    'node_modules/fastify/package.json',
  ])
    expect(listedFiles).toContain(requiredFile)
  expect(
    listedFiles.filter((name) =>
      /^node_modules\/(vite|vitest|typescript|@mui|playwright-core)\/|^tests\/|^bin\/(?!rollcall)/.test(
        name,
      ),
    ),
  ).toEqual([])
})

test('the web app and the server of a release are built from the sources that it contains', async () => {
  const { isUpToDate, SERVER_BUILD, WEB_BUILD } = (await import(
    join(release, 'server', 'cli', 'build', 'stamp.ts')
  )) as typeof Stamp
  expect([isUpToDate(WEB_BUILD), isUpToDate(SERVER_BUILD)]).toEqual([true, true])
})

test('an unpacked release starts as another user on a read-only root file system, registers a delegate and stops', async () => {
  const installation = createInstallation(release)
  // States which of these restrictions the machine does not support.
  console.log(`  the release runs as: ${installation.confinement.description}`)
  const folders = installation.createFolders('one')
  const socketParent = await installation.serve(folders)
  const regNo = await registerOne(socketParent.url, 1)
  expect(await socketParent.stop()).toBe(0)
  await socketParent.close()
  expect(readRegNos(folders)).toEqual([regNo])
  expect(existsSync(join(release, 'node_modules', '.cache'))).toBe(false)
  installation.remove()
})
