#!/usr/bin/env node
/**
 * `npm run audit`: what is known to be wrong with the packages that a server runs. It asks the registry,
 * so it is no part of `npm test`, which needs no network; where it cannot ask, it says so.
 *
 * Exit status: 0 nothing known, 1 something known (named, with what mends it), 2 could not be asked.
 */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const top = join(dirname(fileURLToPath(import.meta.url)), '..')
/** A registry that does not answer is not waited for any longer. */
const ANSWER_MS_MAX = 60_000

const asked = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: top,
  encoding: 'utf8',
  timeout: ANSWER_MS_MAX,
})

/** @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** @typedef {{ severity: string, range: string, fixAvailable?: boolean | { name: string, version: string } }} Weakness */
const report =
  /** @type {{ vulnerabilities?: Record<string, Weakness>, message?: string, error?: { summary?: string, code?: string } } | null} */ (
    parsed(asked.stdout)
  )
if (report === null || report.vulnerabilities === undefined) {
  const why =
    report?.error?.summary ||
    report?.message ||
    report?.error?.code ||
    asked.error?.message ||
    asked.stderr.trim().split('\n')[0] ||
    'no answer'
  console.error(
    `The packages were NOT audited: the registry of this machine could not be asked (${why}). Run "npm run audit" where npm reaches a registry with advisories.`,
  )
  process.exit(2)
}
const found = Object.entries(report.vulnerabilities)
for (const [name, { severity, range, fixAvailable }] of found)
  console.log(
    `${severity}: ${name} ${range}${
      typeof fixAvailable === 'object'
        ? `; mended by ${fixAvailable.name} ${fixAvailable.version}`
        : fixAvailable === true
          ? '; mended by a newer version in reach'
          : '; not mended yet'
    }`,
  )
console.log(
  found.length === 0
    ? 'Nothing is known to be wrong with the packages a server runs.'
    : `${found.length} package${found.length === 1 ? ' has' : 's have'} known weaknesses.`,
)
process.exit(found.length === 0 ? 0 : 1)
