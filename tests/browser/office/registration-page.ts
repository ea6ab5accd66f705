/** Steps on office pages that several tests share. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Clicks the button of an action. All except the two most common actions are under “More”. */
export async function pressAction(page: Page, name: string): Promise<void> {
  const actions = page.getByRole('region', { name: 'Actions' })
  const button = actions.getByRole('button', { name, exact: true })
  await actions.getByRole('button').first().waitFor()
  if ((await button.count()) === 0)
    await actions.getByRole('button', { name: 'More', exact: true }).click()
  await button.click()
}

/** Finds the submit button of the manual registration form. Its label includes the amount if a payment is recorded. */
export const findAddButton = (page: Page): Locator =>
  page.getByRole('button', { name: /^Add (?:registration$|and record )/ })

/** Finds the timeline entries that contain a text. */
export const findEntries = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: text })

/** Performs a task, checks that focus is not lost at the end, and returns the number of clicks. */
export async function countClicks(page: Page, perform: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const isCounting = document.body.dataset['clicks'] !== undefined
    document.body.dataset['clicks'] = '0'
    if (isCounting) return
    addEventListener(
      'pointerdown',
      () => {
        document.body.dataset['clicks'] = String(Number(document.body.dataset['clicks']) + 1)
      },
      true,
    )
  })
  await perform()
  await expectFocusKept(page)
  return page.evaluate(() => Number(document.body.dataset['clicks']))
}

export const expectFocusKept = async (page: Page): Promise<void> => {
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
}
