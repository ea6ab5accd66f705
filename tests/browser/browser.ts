/** Chromium for tests, and what every page must satisfy. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axeCore from 'axe-core'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'

/** A person watches: with a window, slowly enough to follow, and no time limit (vitest.config.ts). */
const HEADED = process.env['HEADED'] === '1'
const HEADED_STEP_MS = 400

const KNOWN = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

/** `tests/run.js` sets CHROMIUM; a run by hand finds the usual places. */
export const chromiumPath = (): string => {
  const path =
    process.env['CHROMIUM'] ??
    KNOWN.find((candidate) => existsSync(candidate) && !(HEADED && candidate.endsWith('shell')))
  if (path === undefined)
    throw new Error('no Chromium: set CHROMIUM, or run npm test, which looks for one')
  return path
}

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath(),
    ...(HEADED ? { headless: false, slowMo: HEADED_STEP_MS } : {}),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

export type Visit = {
  readonly page: Page
  readonly context: BrowserContext
  readonly complaints: string[]
}

/**
 * A fresh visitor. `complaints` collects what the browser objects to: uncaught errors, errors on the
 * console, refusals of the content security policy. A test that ends well leaves it empty.
 */
export async function visit(
  browser: Browser,
  options: {
    readonly width?: number
    readonly height?: number
    readonly javaScript?: boolean
  } = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    locale: 'en-IN',
    timezoneId: 'Asia/Kolkata',
    javaScriptEnabled: options.javaScript ?? true,
    reducedMotion: 'reduce',
    acceptDownloads: true,
  })
  context.setDefaultTimeout(HEADED ? 0 : 15_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    // A refused call (401, 409, 422 …) is an answer, and the page shows it; Chromium notes it all the same.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  return { page, context, complaints }
}

declare global {
  interface Window {
    axe?: typeof axeCore
  }
}
const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

/**
 * axe on the page as it stands; answers the violations in words. It is put into a page once, and told
 * to work out the nodes of violations only: a run takes a third of what the usual wrapper needs.
 */
export async function axe(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axeSource)
  return page.evaluate(async () => {
    if (window.axe === undefined) throw new Error('axe is not on the page')
    const { violations, passes } = await window.axe.run({ resultTypes: ['violations'] })
    if (passes.length === 0) throw new Error('axe looked at nothing')
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.target.join(' ')}`),
    )
  })
}

/** Fails with the violations' words and the state's name. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  expect(await axe(page), `axe: ${state}`).toEqual([])
}
