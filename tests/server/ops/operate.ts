/** Operates the processes of a release as an operator would: `npm run operate [-- FILE] [STEP…]`. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { createRelease } from '../../../bin/release.ts'
import { createInstallation } from './operate-steps/installation.ts'
import { backUpAndRestore, migrateEachVersion } from './operate-steps/backup.ts'
import { fillDisk, cutGateway, cutMailServer, breakEventFile } from './operate-steps/network.ts'
import { restartUnderLoad, startUnderUnit, stopBySignals } from './operate-steps/serve.ts'
import type { Step } from './operate-steps/step.ts'

/**
 * The steps, each of which prints its results. Arguments: FILE is a release (.tar.gz), which is built if omitted.
 * STEP is part of the name of each step to run. The process exits with 1 after a failure.
 */
const STEPS: readonly Step[] = [
  startUnderUnit,
  stopBySignals,
  restartUnderLoad,
  backUpAndRestore,
  migrateEachVersion,
  fillDisk,
  cutMailServer,
  cutGateway,
  breakEventFile,
]

const print = (line: string): void => console.log(`  ${line}`)
const run = (command: string, args: readonly string[], cwd: string): void => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)
}

/** Verifies and unpacks a release file, verifies its contents, and returns their folder. */
function installRelease(file: string, target: string): string {
  const name = basename(file)
  run('sha256sum', ['--check', '--quiet', `${name}.sha256`], dirname(file))
  run('tar', ['-xzf', file, '-C', target], target)
  const [folder = ''] = readdirSync(target)
  const releaseFolder = join(target, folder)
  run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], releaseFolder)
  run(join(releaseFolder, 'bin', 'rollcall'), ['validate'], releaseFolder)
  print(
    `${name}, ${(statSync(file).size / 1024 / 1024).toFixed(1)} MB: its checksum and those of all ${readdirSync(releaseFolder, { recursive: true }).length} entries in ${folder} are correct; its event files are valid`,
  )
  return releaseFolder
}

const args = process.argv.slice(2)
const releaseFile = args.find((arg) => arg.endsWith('.tar.gz'))
const stepNames = args.filter((arg) => arg !== releaseFile)
const base = mkdtempSync(join(tmpdir(), 'rollcall-installed-'))
chmodSync(base, 0o755)
let failedCount = 0
const startedAt = performance.now()
try {
  console.log('install from the release')
  const file = releaseFile === undefined ? createRelease(join(base, 'made')) : resolve(releaseFile)
  const target = mkdtempSync(join(base, 'opt-'))
  chmodSync(target, 0o755)
  const installation = createInstallation(installRelease(file, target))
  try {
    for (const { name, run: runStep } of STEPS) {
      if (stepNames.length > 0 && !stepNames.some((part) => name.includes(part))) continue
      console.log(name)
      const stepStartedAt = performance.now()
      try {
        await runStep(installation, print)
        console.log(`✓ ${name} (${((performance.now() - stepStartedAt) / 1000).toFixed(0)} s)`)
      } catch (error) {
        failedCount += 1
        console.log(`✗ ${name}: ${error instanceof Error ? error.stack : String(error)}`)
      }
    }
  } finally {
    installation.remove()
  }
} finally {
  rmSync(base, { recursive: true, force: true })
}
console.log(
  failedCount === 0
    ? `All steps passed (${((performance.now() - startedAt) / 1000).toFixed(0)} s).`
    : `${failedCount} steps failed.`,
)
process.exit(failedCount === 0 ? 0 : 1)
