/** The React build that renders emails under `npm start`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../../runs.ts'
import { placeOrder, clickPaymentButton } from '../../attacks/gateway.ts'
import { delegate, registerDelegate, startTarget } from '../../attacks/target.ts'
import { openInbox } from '../../browser/inbox.ts'

const folder = mkdtempSync(join(tmpdir(), 'rollcall-libraries-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A module that prints each React build that the server loads. */
const WATCHER = join(folder, 'watcher.mjs')
writeFileSync(
  WATCHER,
  `import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({ load(url, context, next) {
  const build = /react-dom-server[^/]*\\.(production|development)\\.js/.exec(url)
  if (build !== null) writeSync(2, 'React is loaded: ' + build[1] + '\\n')
  return next(url, context)
} })
`,
)

/** Lists the React builds that are loaded once a delegate has been sent a confirmation. */
async function listLoadedBuilds(variables: Readonly<Record<string, string>>): Promise<{
  readonly builds: readonly string[]
  readonly hasSandbox: boolean
}> {
  const inbox = await openInbox()
  const target = await startTarget({
    SMTP_URL: inbox.url,
    NODE_OPTIONS: `--import ${pathToFileURL(WATCHER).href}`,
    ...variables,
  })
  try {
    const { data } = await registerDelegate(target)
    await clickPaymentButton(await placeOrder(data), 'pay')
    expect(await inbox.waitForEmail(delegate.email, '<html')).toContain('Asha Nair')
    const builds = target.readOutput().match(/(?<=React is loaded: )\w+/g) ?? []
    return { builds: [...new Set(builds)], hasSandbox: /Sandbox {2}http/.test(target.readOutput()) }
  } finally {
    await target.stop()
    await inbox.close()
  }
}

describe('an email that npm start sends', () => {
  const PRODUCTION_CASES: [string, Record<string, string>][] = [
    ['if NODE_ENV is empty', { NODE_ENV: '' }],
  ]
  if (ALL_RUNS) PRODUCTION_CASES.push(['if NODE_ENV is not set', {}])
  test.each(PRODUCTION_CASES)(
    'is rendered by React’s production build %s, with the sandbox',
    async (_what, variables) => {
      expect(await listLoadedBuilds(variables)).toEqual({
        builds: ['production'],
        hasSandbox: true,
      })
    },
  )

  test('is rendered by the development build if NODE_ENV requires it', async () => {
    expect(await listLoadedBuilds({ NODE_ENV: 'development' })).toEqual({
      builds: ['development'],
      hasSandbox: true,
    })
  })
})
