/** What a picture is taken of: a page in one state, and how one comes to it. */
import type { Page } from 'playwright-core'
import type { Served } from '../browser/serve.ts'

export type State = {
  readonly name: string
  readonly open: (page: Page) => Promise<unknown>
  /** False: as whoever has switched it off sees it. */
  readonly javaScript?: boolean
}

/** The server whose pages are taken, filled as `rollcall demo` fills it. */
export type Pictured = Pick<Served, 'url' | 'dataDir'>

/** Some weeks before the conference whose form most pictures show. */
export const TODAY = '2026-01-12'
export const NOW = `${TODAY}T12:00:00+05:30`

export const to =
  ({ url }: Pictured) =>
  (path: string) =>
  (page: Page): Promise<unknown> =>
    page.goto(url + path)
