/** Success without payment data: the event files with `payment: none`, in a browser. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from '../browser/browser.ts'
import { field, INTERN, payButton, plain } from '../browser/delegate.ts'
import { serve } from '../browser/serve.ts'
import type { Served } from '../browser/serve.ts'

const NOTICE = 'Registration submitted successfully! You will receive a confirmation email shortly.'

let browser: Browser
let server: Served
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    serve({}, ({ eventsDir }) => {
      for (const id of ['afpicon2026', 'chirurgia2026', 'midzone2025']) {
        const path = join(eventsDir, `${id}.yaml`)
        const text = readFileSync(path, 'utf8')
        writeFileSync(
          path,
          text
            .replace(/\npayment:\n(?: +.*\n)+/, '\npayment: none\n')
            .replace(/^ {2}- payment\.account\n/m, '')
            .replace(/^ +account: [a-z]+\n/m, ''),
        )
      }
    }),
  ])
})
afterAll(async () => {
  await browser.close()
  await server.stop()
})

/** Sends the form and answers its dialog's text, or null where there is none, once the notice has come. */
async function registered(page: Page): Promise<void> {
  await payButton(page).click()
  await page.getByRole('status').getByText(NOTICE).waitFor()
}

describe('S113 S169: an event that takes no money', () => {
  test.each([
    ['afpicon2026', 'AFPI', INTERN],
    ['chirurgia2026', 'CHIR', null],
  ] as const)(
    'S113 S169: %s: a notice, and a dialog with the registration number',
    async (id, prefix, category) => {
      const { page, context, complaints } = await visit(browser)
      await page.goto(`${server.url}/${id}`)
      await field(page, 'Full Name').fill('Dr. Free Example')
      await page.getByRole('textbox', { name: /^Email/ }).fill('free@example.org')
      await field(page, 'Phone Number').fill('98470')
      if (category !== null) await page.getByRole('radio', { name: category, exact: true }).check()
      await registered(page)
      const dialog = page.getByRole('dialog')
      expect(plain(await dialog.textContent())).toMatch(
        new RegExp(`Registration successful! Your registration number is: ${prefix}\\d{13}`),
      )
      await expectAccessible(page, `${id}, registered`)
      await dialog.getByRole('button', { name: 'OK' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(complaints).toEqual([])
      await context.close()
    },
  )

  test('S113 S115: midzone2025: the toast is enough', async () => {
    const { page, context } = await visit(browser)
    await page.goto(`${server.url}/midzone2025`)
    await field(page, 'Full Name').fill('Dr. Free Example')
    await field(page, 'Email').fill('free@example.org')
    await field(page, 'Phone Number').fill('98470')
    await registered(page)
    expect(await page.getByRole('dialog').count()).toBe(0)
    // Ready for the next delegate.
    await expect.poll(() => field(page, 'Full Name').inputValue()).toBe('')
    await context.close()
  })
})
