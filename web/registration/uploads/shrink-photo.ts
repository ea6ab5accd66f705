/** Resizes a photo before upload: a 12-megapixel photo is forty times larger than a certificate needs. */
import type { Field } from '../../../engine/index.ts'
import { endingOf, jpegOf, mayShrink } from './chosen-file.ts'

/** Longer side in pixels: 170 dots per inch of an A4 page, enough to read its small print. */
const SIDE_PIXELS_MAX = 2000
/** No resizing below this size: any connection sends it within seconds. */
const BYTES_ENOUGH = 180 * 1024
/**
 * JPEG qualities; the best one within the size limit is used. Print is still legible at the lowest.
 */
const QUALITIES = [0.75, 0.6, 0.45] as const

/**
 * Returns the picture rotated as its camera recorded, as a JPEG within the field's limits. Returns
 * the file itself if it is not a picture, is small enough, or cannot be decoded by this browser.
 */
export async function smaller(field: Field, file: File): Promise<File> {
  const ending = jpegOf(field)
  if (ending === null || !mayShrink(field, file)) return file
  const isTaken = field.accept?.includes(endingOf(file.name)) ?? true
  if (isTaken && file.size <= BYTES_ENOUGH) return file
  const made = await redrawn(file).catch(() => null)
  if (made === null || (isTaken && made.size >= file.size)) return file
  const name = isTaken && ['jpg', 'jpeg'].includes(endingOf(file.name)) ? file.name : null
  return new File([made], name ?? `${file.name.replace(/\.[^.]*$/, '')}.${ending}`, {
    type: 'image/jpeg',
  })
}

async function redrawn(file: File): Promise<Blob | null> {
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' })
  const scale = Math.min(1, SIDE_PIXELS_MAX / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  const pen = canvas.getContext('2d', { alpha: false })
  if (pen === null) return null
  pen.fillStyle = '#fff'
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  let made: Blob | null = null
  for (const quality of QUALITIES) {
    made = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', quality))
    if (made !== null && made.size <= BYTES_ENOUGH) break
  }
  return made
}
