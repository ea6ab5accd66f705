/** Signed in to the office for pictures: one session for all of them, because what signs in costs more than what is looked at. */
import { randomBytes } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { ADMIN } from '../browser/serve.ts'
import { to } from './state.ts'
import type { Pictured, State } from './state.ts'

type Cookie = readonly [name: string, value: string]
let session: Promise<Cookie> | null = null

async function signIn({ url }: Pictured): Promise<Cookie> {
  const answer = await fetch(`${url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  const [name = '', value = ''] = (answer.headers.get('set-cookie') ?? '').split(/[=;]/)
  return [name, value]
}
const cookie = (server: Pictured): Promise<Cookie> => (session ??= signIn(server))

/** Opens a page of the office. */
export const signedIn =
  (server: Pictured) =>
  (path: string): State['open'] =>
  async (page) => {
    const [name, value] = await cookie(server)
    await page.context().addCookies([{ name, value, url: server.url, httpOnly: true }])
    await to(server)(path)(page)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }

/** Asks the office without drawing its page. */
export async function asked(server: Pictured, path: string, json?: object): Promise<unknown> {
  const headers = {
    cookie: (await cookie(server)).join('='),
    origin: server.url,
    'content-type': 'application/json',
  }
  const answer = await fetch(
    `${server.url}${path}`,
    json === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(json) },
  )
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** Does something to a registration. */
export const actOf = (server: Pictured, regNo: string, words: object): Promise<unknown> =>
  asked(server, `/api/admin/registrations/${regNo}/acts/`, {
    ...words,
    key: randomBytes(16).toString('hex'),
  })

export const dialog = (page: Page): Locator => page.getByRole('dialog')
