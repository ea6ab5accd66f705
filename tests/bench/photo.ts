/**
 * A photo of a certificate as proof, from being chosen to being with the server, before anybody presses Pay: a
 * line of `npm run bench -- first-visit`. The photo is made up in the browser: a page of print on a table, in
 * uneven light, with the grain of a camera, twelve million dots in some 4 MB.
 */
import type { Browser, Page } from 'playwright-core'

/** How long a photo may take before the run gives up on it. */
const SENT_MS_MAX = 180_000

/** Runs in an empty page; answers a JPEG as base64. */
async function draw(): Promise<string> {
  const canvas = document.createElement('canvas')
  canvas.width = 4000
  canvas.height = 3000
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('no canvas')
  pen.fillStyle = '#6b4f3a'
  pen.fillRect(0, 0, 4000, 3000)
  const light = pen.createLinearGradient(0, 0, 4000, 3000)
  light.addColorStop(0, '#fdfbf2')
  light.addColorStop(1, '#cfc8b6')
  pen.fillStyle = light
  pen.fillRect(300, 200, 3400, 2600)
  pen.fillStyle = '#222'
  pen.font = 'bold 150px serif'
  pen.fillText('Example Medical Council', 700, 500)
  pen.font = '52px serif'
  for (let line = 0; line < 24; line += 1)
    pen.fillText(
      `Certified that the person named here is a post graduate in training, no. ${line * 7919}.`,
      450,
      700 + line * 84,
    )
  // The grain: the same at every run.
  const picture = pen.getImageData(0, 0, 4000, 3000)
  let seed = 20261121
  for (let at = 0; at < picture.data.length; at += 4) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    const grain = (seed >>> 24) / 10.5 - 12
    for (const part of [0, 1, 2]) picture.data[at + part] = (picture.data[at + part] ?? 0) + grain
  }
  pen.putImageData(picture, 0, 0)
  const photo = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.9))
  const bytes = new Uint8Array((await photo?.arrayBuffer()) ?? [])
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}

export async function makePhoto(browser: Browser): Promise<Buffer> {
  const page = await browser.newPage()
  try {
    return Buffer.from(await page.evaluate(draw), 'base64')
  } finally {
    await page.close()
  }
}

/** Milliseconds from the photo being chosen to the page saying that it is sent. */
export async function visitWithPhoto(page: Page, url: string, photo: Buffer): Promise<number> {
  await page.goto(url, { timeout: SENT_MS_MAX })
  await page
    .getByRole('radio', { name: /Post Graduate/ })
    .first()
    .check({ timeout: SENT_MS_MAX })
  const input = page.locator('input[type=file]')
  await input.waitFor({ state: 'attached', timeout: SENT_MS_MAX })
  await page.evaluate(() => {
    // By the page's own clock: handing the file over to the browser is not what is measured.
    const chosen = document.querySelector('input[type=file]')
    chosen?.addEventListener('change', () => performance.mark('chosen'))
    const look = () => {
      if (document.querySelector('.kept.there')) performance.mark('sent')
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  await input.setInputFiles({ name: 'certificate.jpg', mimeType: 'image/jpeg', buffer: photo })
  await page.waitForFunction(() => performance.getEntriesByName('sent').length > 0, null, {
    timeout: SENT_MS_MAX,
  })
  return page.evaluate(() => performance.measure('photo', 'chosen', 'sent').duration)
}
