#!/usr/bin/env node
/**
 * `npm run audit`: lists known vulnerabilities in the packages that a server runs. It queries the registry, so it is
 * not part of `npm test`, which needs no network.
 *
 * Exit status: 0 no known vulnerabilities, 1 vulnerabilities (listed with their fixes), 2 no response.
 */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const rootDir = join(dirname(fileURLToPath(import.meta.url)), '..')
/** The maximum wait for a response from the registry. */
const RESPONSE_TIMEOUT_MS = 60_000

const auditRun = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: rootDir,
  encoding: 'utf8',
  timeout: RESPONSE_TIMEOUT_MS,
})

/** @param {string} text @returns {unknown} */
function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** @typedef {{ severity: string, range: string, fixAvailable?: boolean | { name: string, version: string } }} Vulnerability */
const report =
  /** @type {{ vulnerabilities?: Record<string, Vulnerability>, message?: string, error?: { summary?: string, code?: string } } | null} */ (
    parseJson(auditRun.stdout)
  )
if (report === null || report.vulnerabilities === undefined) {
  const reason =
    report?.error?.summary ||
    report?.message ||
    report?.error?.code ||
    auditRun.error?.message ||
    auditRun.stderr.trim().split('\n')[0] ||
    'no response'
  console.error(
    `The packages were NOT audited: this machine's registry could not be queried (${reason}). Run "npm run audit" on a machine whose npm registry serves security advisories.`,
  )
  process.exit(2)
}
const vulnerabilities = Object.entries(report.vulnerabilities)
for (const [name, { severity, range, fixAvailable }] of vulnerabilities)
  console.log(
    `${severity}: ${name} ${range}${
      typeof fixAvailable === 'object'
        ? `; fixed by ${fixAvailable.name} ${fixAvailable.version}`
        : fixAvailable === true
          ? '; fixed by a compatible newer version'
          : '; no fix yet'
    }`,
  )
console.log(
  vulnerabilities.length === 0
    ? 'The packages that a server runs have no known vulnerabilities.'
    : `${vulnerabilities.length} package${vulnerabilities.length === 1 ? ' has' : 's have'} known vulnerabilities.`,
)
process.exit(vulnerabilities.length === 0 ? 0 : 1)
