/** What tests use of the package, which brings no types. */
declare module "pngjs" {
	export class PNG {
		static readonly sync: {
			read(file: Uint8Array): PNG;
			write(image: PNG, options?: { readonly colorType?: number; readonly deflateLevel?: number }): Buffer;
		};
		constructor(size: { readonly width: number; readonly height: number });
		readonly width: number;
		readonly height: number;
		readonly data: Buffer;
	}
}
