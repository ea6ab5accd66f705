/**
 * Measures the upload time of a certificate photo, from selection to storage on the server, before Pay is pressed: a
 * line of `npm run bench -- first-visit`. The photo is generated in the browser: a printed page on a table, in uneven
 * light, with camera noise, twelve megapixels, about 4 MB.
 */
import type { Browser, Page } from 'playwright-core'

/** The timeout of an upload. */
const MAX_UPLOAD_MS = 180_000

/** Runs in an empty page; returns a JPEG as base64. */
async function drawPhoto(): Promise<string> {
  const canvas = document.createElement('canvas')
  canvas.width = 4000
  canvas.height = 3000
  const drawing = canvas.getContext('2d')
  if (drawing === null) throw new Error('no canvas')
  drawing.fillStyle = '#6b4f3a'
  drawing.fillRect(0, 0, 4000, 3000)
  const gradient = drawing.createLinearGradient(0, 0, 4000, 3000)
  gradient.addColorStop(0, '#fdfbf2')
  gradient.addColorStop(1, '#cfc8b6')
  drawing.fillStyle = gradient
  drawing.fillRect(300, 200, 3400, 2600)
  drawing.fillStyle = '#222'
  drawing.font = 'bold 150px serif'
  drawing.fillText('Example Medical Council', 700, 500)
  drawing.font = '52px serif'
  for (let line = 0; line < 24; line += 1)
    drawing.fillText(
      `Certified that the person named here is a post graduate in training, no. ${line * 7919}.`,
      450,
      700 + line * 84,
    )
  // Adds noise that is the same on every run.
  const image = drawing.getImageData(0, 0, 4000, 3000)
  let seed = 20261121
  for (let index = 0; index < image.data.length; index += 4) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    const noise = (seed >>> 24) / 10.5 - 12
    for (const channel of [0, 1, 2])
      image.data[index + channel] = (image.data[index + channel] ?? 0) + noise
  }
  drawing.putImageData(image, 0, 0)
  const photo = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, 'image/jpeg', 0.9),
  )
  const bytes = new Uint8Array((await photo?.arrayBuffer()) ?? [])
  let text = ''
  for (let offset = 0; offset < bytes.length; offset += 0x8000)
    text += String.fromCharCode(...bytes.subarray(offset, offset + 0x8000))
  return btoa(text)
}

export async function makePhoto(browser: Browser): Promise<Buffer> {
  const page = await browser.newPage()
  try {
    return Buffer.from(await page.evaluate(drawPhoto), 'base64')
  } finally {
    await page.close()
  }
}

/** Returns the milliseconds from choosing the photo until the page reports that it has been sent. */
export async function visitWithPhoto(page: Page, url: string, photo: Buffer): Promise<number> {
  await page.goto(url, { timeout: MAX_UPLOAD_MS })
  await page
    .getByRole('radio', { name: /Post Graduate/ })
    .first()
    .check({ timeout: MAX_UPLOAD_MS })
  const input = page.locator('input[type=file]')
  await input.waitFor({ state: 'attached', timeout: MAX_UPLOAD_MS })
  await page.evaluate(() => {
    // Measured in the page, to exclude the time to pass the file to the browser.
    const fileInput = document.querySelector('input[type=file]')
    fileInput?.addEventListener('change', () => performance.mark('chosen'))
    const pollPage = () => {
      if (document.querySelector('.selected-file.stored')) performance.mark('sent')
      else requestAnimationFrame(pollPage)
    }
    requestAnimationFrame(pollPage)
  })
  await input.setInputFiles({ name: 'certificate.jpg', mimeType: 'image/jpeg', buffer: photo })
  await page.waitForFunction(() => performance.getEntriesByName('sent').length > 0, null, {
    timeout: MAX_UPLOAD_MS,
  })
  return page.evaluate(() => performance.measure('photo', 'chosen', 'sent').duration)
}
