/** The landing page, its header and its footer. */
import type { Browser, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { runAxe, expectAccessible, launch, visit } from './browser.ts'
import { toPlainText, waitForHydration } from './delegate.ts'
import { serve } from './serve.ts'
import type { TestServer } from './serve.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve()])
})
afterAll(async () => {
  await server.stop()
})

describe('the landing page', () => {
  test('S004 S016 S017 S018 S019 S035 S036 S194: shows its sections, and its links lead to their targets', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(server.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const nav = page.getByRole('navigation', { name: 'Main' })
    const links = await nav
      .getByRole('link')
      .evaluateAll((elements) =>
        elements.map((link) => `${link.textContent} ${link.getAttribute('href')}`),
      )
    expect(links).toEqual([
      'Features #features',
      'How it Works #how-it-works',
      'Pricing #pricing',
      'About #about',
    ])
    for (const anchor of ['features', 'how-it-works', 'pricing', 'about']) {
      await nav.locator(`a[href="#${anchor}"]`).click()
      await expect
        .poll(() =>
          page
            .locator(`[id="${anchor}"]`)
            .evaluate((section) => section.getBoundingClientRect().top < window.innerHeight),
        )
        .toBe(true)
    }
    await expect.poll(() => page.locator('#features').getByRole('listitem').count()).toBe(9)
    const features = toPlainText(await page.locator('#features').textContent())
    for (const feature of [
      'Event creation',
      'Ticketing',
      'Analytics',
      'Marketing tools',
      'Payments',
      'QR check-in',
      'Support',
    ])
      expect(features).toContain(feature)
    await expect.poll(() => page.locator('#how-it-works').getByRole('listitem').count()).toBe(4)
    await expect.poll(() => page.getByRole('img', { name: '5 out of 5 stars' }).count()).toBe(6)
    const aboutText = toPlainText(await page.locator('#about').textContent())
    for (const claim of ['events10K+', 'attendees1M+', 'success98%', 'countries50+'])
      expect(aboutText).toContain(claim)
    const pricingText = toPlainText(await page.locator('#pricing').textContent())
    expect(pricingText).toContain('free 14-day trial')
    expect(pricingText).toContain('2 months free on annual plans')
    const footer = page.getByRole('contentinfo')
    await expect
      .poll(() => footer.getByRole('heading').allTextContents())
      .toEqual(['Product', 'Support', 'Company', 'Legal'])
    await expect.poll(() => footer.getByRole('img').count()).toBeGreaterThan(2)
    await expectAccessible(page, 'landing page')
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('S005 S007 S008 S010 S011 S012: lists every conference first, open ones with a link to the form', async () => {
    const { page, context } = await visit(browser)
    await page.goto(server.url)
    const list = page.getByRole('region', { name: 'Here to register?' })
    await list.getByRole('listitem').nth(3).waitFor()
    const rows = (await list.getByRole('listitem').allTextContents()).map(toPlainText)
    expect(rows.length).toBe(4)
    const allRows = rows.join('\n')
    for (const phrase of [
      'AFPICON 2026',
      'The Spice Route',
      '31 January – 1 February 2026',
      'Resort, Changanassery, Kottayam',
      'Chirurgia 2026',
      '21–22 February 2026',
      'Thiruvalla',
      'Kerala Mid Zone 2025',
      '23 November 2025, 9 AM to 3 PM',
      'Kochi',
      'PULMOCON 2025',
      '12–14 September 2025',
      'Kottayam',
    ])
      expect(allRows.replaceAll(' – ', '–')).toContain(phrase.replaceAll(' – ', '–'))
    expect(rows.filter((row) => row.includes('Registration Closed')).length).toBe(1)
    await list.getByRole('link', { name: 'Register for AFPICON 2026' }).click()
    await page.waitForURL(/\/afpicon2026$/)
    await context.close()
  })

  test.each(ALL_RUNS ? [360, 768, 1280] : [360])(
    'has no horizontal scroll bar and no layout shift, at %i px',
    async (width) => {
      const { page, context } = await visit(browser, { width, height: 740, privateWindow: true })
      await page.addInitScript(() => {
        const layoutShifts = { sum: 0 }
        Object.assign(window, { shifts: layoutShifts })
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            layoutShifts.sum += (entry as PerformanceEntry & { value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
      })
      await page.goto(server.url)
      await waitForHydration(page)
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      expect(
        await page.evaluate(() => (window as unknown as { shifts: { sum: number } }).shifts.sum),
      ).toBeLessThan(0.05)
      if (width < 1280) await expectAccessible(page, `landing page at ${width}`)
      await context.close()
    },
  )

  test('shows a message after a payment for an unknown order', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(`${server.url}/api/payment/return/?TRANSACTIONID=NOBODY1&TRANSACTIONSTATUS=200`)
    expect(new URL(page.url()).pathname).toBe('/')
    await page.getByRole('heading', { level: 1, name: 'Every delegate on the register' }).waitFor()
    const alert = page.getByRole('alert')
    await expect
      .poll(async () => toPlainText(await alert.textContent()))
      .toMatch(/^We could not match your payment to a registration\./)
    await expect.poll(() => alert.evaluate((box) => box.getBoundingClientRect().top)).toBe(0)
    await expectAccessible(page, 'landing page after an unknown payment')
    expect(consoleErrors).toEqual([])
    await page.goto(server.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => alert.count()).toBe(0)
    await context.close()
  })

  test('is readable before its script loads, and without scripts', async () => {
    const { page, context } = await visit(browser, { javaScript: false })
    await page.goto(server.url)
    await expect
      .poll(() => page.title())
      .toBe('Rollcall: registration and payment for medical conferences')
    await page.getByRole('heading', { level: 1, name: 'Every delegate on the register' }).waitFor()
    await page.getByRole('link', { name: 'AFPICON 2026', exact: true }).waitFor()
    await context.close()
  })
})

describe('the other pages of the site', () => {
  test('Create Event leads to the page for organisers, Sign In to the office', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Create Event' }).click()
    await page.waitForURL(/\/organisers$/)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.getByRole('link', { name: 'Sign In' }).click()
    await page.waitForURL(/\/admin\/login/)
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('a page that cannot be rendered shows a message and can be reloaded', async () => {
    const { page, context } = await visit(browser)
    const errorHeading = page.getByRole('heading', {
      level: 1,
      name: 'An unexpected error occurred.',
    })
    const createCorruptResponse = (data: string) => async (route: Route) => {
      const html = await (await route.fetch()).text()
      await route.fulfill({
        contentType: 'text/html',
        body: html.replace(/(<script[^>]*id="page"[^>]*>)[^<]*/, `$1${data}`),
      })
    }
    for (const data of ['{"page":"si', '{"page":"organisers","site":{"organisers":{}}}']) {
      await page.route(`${server.url}/organisers`, createCorruptResponse(data))
      await page.goto(`${server.url}/organisers`)
      await errorHeading.waitFor()
      await page.unroute(`${server.url}/organisers`)
    }
    await expectAccessible(page, 'a page that cannot be rendered')
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { level: 1, name: 'One file becomes a conference' }).waitFor()
    // Blocks the page's own module. Opens a page without scripts first, so that no other page has loaded a module.
    await page.goto(server.url)
    let fetchCount = 0
    await page.route('**/assets/*.js', (route) =>
      fetchCount++ === 0 ? route.continue() : route.abort(),
    )
    await page.goto(`${server.url}/admin/login`)
    await errorHeading.waitFor()
    await context.close()
  })

  test('an unknown address shows a message with status 404', async () => {
    const { page, context } = await visit(browser)
    const pageResponse = await page.goto(`${server.url}/no-such-page`)
    expect(pageResponse?.status()).toBe(404)
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await expectAccessible(page, 'page not found')
    // Negative control: axe reports a heading with too little contrast, although the other texts were checked before.
    await page
      .getByRole('heading', { level: 1 })
      .evaluate((heading) => (heading.style.color = '#ccc'))
    expect(await runAxe(page)).toEqual([expect.stringMatching(/^color-contrast: .*h1/)])
    await context.close()
  })

  test('S009 S020 S037 S038: a closed event states that it is closed, and offers no form', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(`${server.url}/pulmocon2025`)
    await page.getByRole('heading', { level: 1, name: 'PULMOCON 2025' }).waitFor()
    await page.getByRole('heading', { name: 'Registration Closed' }).waitFor()
    const text = toPlainText(await page.locator('body').innerText())
    expect(text).toContain(
      'Online registration for PULMOCON 2025 is currently closed. Please contact the organizers directly for registration assistance.',
    )
    expect(text.replaceAll(' – ', '–')).toContain('12–14 September 2025')
    expect(text).toContain('Kottayam')
    await expect.poll(() => page.getByRole('textbox').count()).toBe(0)
    await expect.poll(() => page.getByRole('button').count()).toBe(0)
    await expectAccessible(page, 'closed event')
    expect(consoleErrors).toEqual([])
    await context.close()
  })
})
