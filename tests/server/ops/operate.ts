/**
 * `npm run operate [-- FILE] [STEP…]`: acts as the operator, with real processes of a release: made anew, or the
 * FILE (.tar.gz) that is named. Each step prints what it saw; STEP is a piece of the name of the steps that are wanted.
 *
 * Exit status: 0 all is as it should be; 1 something is not.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { createRelease } from '../../../bin/release.ts'
import { placeOf } from './operate-steps/installation.ts'
import { kept, upgraded } from './operate-steps/backup.ts'
import { filled, gatewayCut, mailsCut, spoilt } from './operate-steps/network.ts'
import { restarted, started, stopped } from './operate-steps/serve.ts'
import type { Step } from './operate-steps/step.ts'

const STEPS: readonly Step[] = [
  started,
  stopped,
  restarted,
  kept,
  upgraded,
  filled,
  mailsCut,
  gatewayCut,
  spoilt,
]

const say = (line: string): void => console.log(`  ${line}`)
const run = (command: string, args: readonly string[], cwd: string): void => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)
}

/** Checks the file, unpacks it and checks what was in it; answers the folder. */
function install(file: string, into: string): string {
  const name = basename(file)
  run('sha256sum', ['--check', '--quiet', `${name}.sha256`], dirname(file))
  run('tar', ['-xzf', file, '-C', into], into)
  const [folder = ''] = readdirSync(into)
  const unpacked = join(into, folder)
  run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], unpacked)
  run(join(unpacked, 'bin', 'rollcall'), ['validate'], unpacked)
  say(
    `${name}, ${(statSync(file).size / 1024 / 1024).toFixed(1)} MB: its checksum fits, and those of all ${readdirSync(unpacked, { recursive: true }).length} entries of ${folder}; its own event files are clean`,
  )
  return unpacked
}

const asked = process.argv.slice(2)
const given = asked.find((word) => word.endsWith('.tar.gz'))
const wanted = asked.filter((word) => word !== given)
const base = mkdtempSync(join(tmpdir(), 'rollcall-installed-'))
chmodSync(base, 0o755)
let failed = 0
const begun = performance.now()
try {
  console.log('install from the release')
  const file = given === undefined ? createRelease(join(base, 'made')) : resolve(given)
  const into = mkdtempSync(join(base, 'opt-'))
  chmodSync(into, 0o755)
  const place = placeOf(install(file, into))
  try {
    for (const { name, run: work } of STEPS) {
      if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue
      console.log(name)
      const from = performance.now()
      try {
        await work(place, say)
        console.log(`✓ ${name} (${((performance.now() - from) / 1000).toFixed(0)} s)`)
      } catch (error) {
        failed += 1
        console.log(`✗ ${name}: ${error instanceof Error ? error.stack : String(error)}`)
      }
    }
  } finally {
    place.remove()
  }
} finally {
  rmSync(base, { recursive: true, force: true })
}
console.log(
  failed === 0
    ? `Everything is as it should be (${((performance.now() - begun) / 1000).toFixed(0)} s).`
    : `${failed} steps are not as they should be.`,
)
process.exit(failed === 0 ? 0 : 1)
