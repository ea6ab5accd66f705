/** The subject of a picture: a page in one state, and how to reach it. */
import type { Page } from 'playwright-core'
import type { TestServer } from '../browser/serve.ts'

export type State = {
  readonly name: string
  readonly open: (page: Page) => Promise<unknown>
  /** False for a browser with scripts switched off. */
  readonly javaScript?: boolean
}

/** The server whose pages are shown, with the data of `rollcall demo`. */
export type PictureServer = Pick<TestServer, 'url' | 'dataDir'>

/** A few weeks before the conference whose form most pictures show. */
export const TODAY = '2026-01-12'
export const NOW = `${TODAY}T12:00:00+05:30`

export const openPath =
  ({ url }: PictureServer) =>
  (path: string) =>
  (page: Page): Promise<unknown> =>
    page.goto(url + path)
