/** The subject of a picture: a page in one state, and how to reach it. */
import type { Page } from 'playwright-core'
import type { TestServer } from '../browser/serve.ts'

export type PictureState = {
  readonly name: string
  readonly open: (page: Page) => Promise<unknown>
  /** False if the browser has scripts switched off. */
  readonly javaScript?: boolean
}

/** The server whose pages are shown, with the data of `rollcall demo`. */
export type PictureServer = Pick<TestServer, 'url' | 'dataDir'>

/** The date in the pictures, a few weeks before the conference whose form most of them show. */
export const TODAY = '2026-01-12'
export const NOW = `${TODAY}T12:00:00+05:30`

export const openPath =
  ({ url }: PictureServer) =>
  (path: string) =>
  (page: Page): Promise<unknown> =>
    page.goto(url + path)
