/** Drives Chromium with Playwright. */
import { chromium } from 'playwright-core'
import type { Driver } from './driver.ts'
import {
  DEFAULT_HEIGHT,
  inspectLayout,
  MAX_WAIT_MS,
  DEFAULT_WIDTH,
  getFontEnvironment,
} from './driver.ts'

export async function createPlaywrightDriver(executablePath: string): Promise<Driver> {
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
    env: getFontEnvironment(),
  })
  const context = await browser.newContext({
    viewport: { width: DEFAULT_WIDTH, height: DEFAULT_HEIGHT },
  })
  context.setDefaultTimeout(MAX_WAIT_MS)
  const page = await context.newPage()
  const evaluate = (expression: string): Promise<unknown> => page.evaluate(expression)
  const takeScreenshot = (): Promise<Buffer> => page.screenshot()
  const resize = (width: number, height: number) => page.setViewportSize({ width, height })
  return {
    open: async (url) => void (await page.goto(url)),
    fill: (label, text) => page.getByLabel(label, { exact: false }).first().fill(text),
    choose: (label) => page.getByRole('radio', { name: label }).check(),
    attach: (path) => page.locator('input[type=file]').first().setInputFiles(path),
    press: (name) => page.getByRole('button', { name, exact: true }).first().click(),
    waitForText: (text) => page.getByText(text).first().waitFor(),
    evaluate,
    takeScreenshot,
    readAddress: () => Promise.resolve(page.url()),
    inspectLayout: (name) => inspectLayout({ evaluate, takeScreenshot, resize }, name),
    close: () => browser.close(),
  }
}
