/** Resizes a photo before upload: a 12-megapixel photo is forty times larger than a certificate needs. */
import type { Field } from '../../../engine/index.ts'
import { getExtension, findJpegExtension, canShrink } from './chosen-file.ts'

/** Longer side in pixels: 170 dots per inch on an A4 page, enough to read its small print. */
const MAX_SIDE_PIXELS = 2000
/** Smaller files are not resized, because any connection sends them within seconds. */
const TARGET_BYTES = 180 * 1024
/**
 * JPEG qualities, best first. Print is still legible at the lowest.
 */
const QUALITIES = [0.75, 0.6, 0.45] as const

/**
 * Returns the image rotated as the camera recorded, as a JPEG within the field's limits. Returns the
 * file itself if it is not an image, is small enough, or cannot be decoded by this browser.
 */
export async function shrinkPhoto(field: Field, file: File): Promise<File> {
  const extension = findJpegExtension(field)
  if (extension === null || !canShrink(field, file)) return file
  const isAccepted = field.accept?.includes(getExtension(file.name)) ?? true
  if (isAccepted && file.size <= TARGET_BYTES) return file
  const jpeg = await redrawImage(file).catch(() => null)
  if (jpeg === null || (isAccepted && jpeg.size >= file.size)) return file
  const name = isAccepted && ['jpg', 'jpeg'].includes(getExtension(file.name)) ? file.name : null
  return new File([jpeg], name ?? `${file.name.replace(/\.[^.]*$/, '')}.${extension}`, {
    type: 'image/jpeg',
  })
}

async function redrawImage(file: File): Promise<Blob | null> {
  const image = await createImageBitmap(file, { imageOrientation: 'from-image' })
  const scale = Math.min(1, MAX_SIDE_PIXELS / Math.max(image.width, image.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(image.width * scale))
  canvas.height = Math.max(1, Math.round(image.height * scale))
  const context = canvas.getContext('2d', { alpha: false })
  if (context === null) return null
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  image.close()
  let jpeg: Blob | null = null
  for (const quality of QUALITIES) {
    jpeg = await new Promise<Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/jpeg', quality),
    )
    if (jpeg !== null && jpeg.size <= TARGET_BYTES) break
  }
  return jpeg
}
