/** Provides one staff session for all pictures, because signing in takes longer than opening a page. */
import { randomBytes } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { ADMIN } from '../browser/serve.ts'
import { openPath } from './state.ts'
import type { PictureServer, PictureState } from './state.ts'

type Cookie = readonly [name: string, value: string]
let session: Promise<Cookie> | null = null

async function signIn({ url }: PictureServer): Promise<Cookie> {
  const loginResponse = await fetch(`${url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  const [name = '', value = ''] = (loginResponse.headers.get('set-cookie') ?? '').split(/[=;]/)
  return [name, value]
}
const getCookie = (server: PictureServer): Promise<Cookie> => (session ??= signIn(server))

/** Returns a function that opens a staff page in that session. */
export const openSignedIn =
  (server: PictureServer) =>
  (path: string): PictureState['open'] =>
  async (page) => {
    const [name, value] = await getCookie(server)
    await page.context().addCookies([{ name, value, url: server.url, httpOnly: true }])
    await openPath(server)(path)(page)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }

/** Calls the staff API without opening a page. */
export async function callApi(
  server: PictureServer,
  path: string,
  json?: object,
): Promise<unknown> {
  const headers = {
    cookie: (await getCookie(server)).join('='),
    origin: server.url,
    'content-type': 'application/json',
  }
  const response = await fetch(
    `${server.url}${path}`,
    json === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(json) },
  )
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Performs an action on a registration. */
export const performAction = (
  server: PictureServer,
  regNo: string,
  fields: object,
): Promise<unknown> =>
  callApi(server, `/api/admin/registrations/${regNo}/acts/`, {
    ...fields,
    key: randomBytes(16).toString('hex'),
  })

export const findDialog = (page: Page): Locator => page.getByRole('dialog')
