/** `npm run pictures:invoices [FOLDER]`: draws each document that docs/tax.md compares with rule 46, as printed. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as mupdf from 'mupdf'
import { renderPdf } from '../../server/documents/render-pdf.ts'
import { startTestApp } from '../server/harness.ts'
import {
  issueInvoiceAndCredit,
  SUPPLIES,
  TAX_EVENTS,
} from '../server/office/documents/tax-samples.ts'

/** An A4 page becomes about 1,200 pixels wide, so that small print stays legible. */
const SCALE = 2

const [, , folder = 'pictures'] = process.argv
const targetDir = resolve(folder)
mkdirSync(targetDir, { recursive: true })
const server = await startTestApp({ clock: '2026-01-20', events: TAX_EVENTS })
try {
  for (const supply of SUPPLIES)
    for (const [kind, body] of Object.entries(await issueInvoiceAndCredit(server, supply))) {
      const pages = mupdf.Document.openDocument(await renderPdf(body), 'application/pdf')
      for (let index = 0; index < pages.countPages(); index += 1) {
        const image = pages
          .loadPage(index)
          .toPixmap(mupdf.Matrix.scale(SCALE, SCALE), mupdf.ColorSpace.DeviceRGB, false)
          .asPNG()
        const name = `${kind}-${supply.name}${index === 0 ? '' : `-page-${index + 1}`}.png`
        writeFileSync(join(targetDir, name), image)
        console.log(name)
      }
    }
} finally {
  await server.close()
}
