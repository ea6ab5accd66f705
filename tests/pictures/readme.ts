/** `npm run pictures:readme`: takes the README's pictures (docs/pictures/*.png), each below 150 KB. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchWithDefaultFlags, visit } from '../browser/browser.ts'
import { serveAsProcess, ROOT } from '../browser/serve.ts'
import { fillForm } from './form.ts'
import { openSignedIn } from './session.ts'
import { NOW, openPath } from './state.ts'
import type { PictureState } from './state.ts'

const MAX_BYTES = 150_000
const [WIDTH, HEIGHT] = [900, 640]

const targetDir = join(ROOT, 'docs', 'pictures')
mkdirSync(targetDir, { recursive: true })
const temporaryDir = mkdtempSync(join(tmpdir(), 'rollcall-pictures-'))
const serverProcess = await serveAsProcess(
  { CLOCK: NOW, TMPDIR: temporaryDir },
  () => {},
  ROOT,
  'demo',
)
const [demoDir = ''] = readdirSync(temporaryDir)
const server = { url: serverProcess.url, dataDir: join(temporaryDir, demoDir) }

const states: readonly PictureState[] = [
  { name: 'form', open: (page) => fillForm(server, page) },
  { name: 'office', open: openSignedIn(server)('/admin/afpicon2026') },
  {
    name: 'finding',
    open: async (page) => {
      await openPath(server)('/organisers')(page)
      await page.getByRole('button', { name: 'Copy event file' }).click()
      await page.getByText(/examples pass/).waitFor()
      await page.locator('.cm-content').focus()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('venu: Town Hall')
      await page
        .getByText(/\d errors?/)
        .first()
        .waitFor()
      await page.getByRole('tab', { name: 'Findings' }).click()
    },
  },
]

const browser = await launchWithDefaultFlags()
try {
  for (const { name, open } of states) {
    const { page, context } = await visit(browser, {
      privateWindow: true,
      width: WIDTH,
      height: HEIGHT,
    })
    await open(page)
    await page.waitForLoadState('networkidle')
    await page.evaluate(() => document.fonts.ready)
    const path = join(targetDir, `${name}.png`)
    await page.screenshot({ path })
    const { size } = statSync(path)
    console.log(`${name}.png: ${size} bytes`)
    if (size > MAX_BYTES) process.exitCode = 1
    await context.close()
  }
} finally {
  await browser.close()
  await serverProcess.stop()
  rmSync(temporaryDir, { recursive: true, force: true })
}
