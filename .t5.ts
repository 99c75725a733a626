import "reflect-metadata";
import * as xadesjs from "xadesjs";
import { DOMParser, XMLSerializer } from "@xmldom/xmldom";
import { X509Certificate } from "@peculiar/x509";
import { setNodeDependencies } from "xml-core";
import * as xpath from "xpath";
import { readExamples, anIdentity, SIGNED_AT } from "./test/signing/samples";
import { signEcf } from "./src/signing";
setNodeDependencies({ DOMParser, XMLSerializer, xpath } as never);
xadesjs.Application.setEngine("bun", crypto as never);
const id = await anIdentity();
const pub = await new X509Certificate(new Uint8Array(id.certificateDer)).publicKey.export({name:"RSASSA-PKCS1-v1_5",hash:"SHA-256"},["verify"]);
for (const profile of ["xades-bes","xmldsig"] as const) for (const {name,input} of readExamples()) {
  const s = signEcf(input,id,profile);
  const doc = xadesjs.Parse(new TextDecoder().decode(s.ecf).replace(/^<\?xml[^>]*>/,""));
  const signed = new xadesjs.SignedXml(doc);
  signed.LoadXml(doc.getElementsByTagNameNS("http://www.w3.org/2000/09/xmldsig#","Signature")[0] as never);
  let ok; try { ok = await signed.Verify(pub) } catch(e){ ok=String(e) }
  console.log(name, profile, ok, profile==="xades-bes" && signed.Properties?.SignedSignatureProperties?.SigningTime?.Value?.toISOString?.());
}
