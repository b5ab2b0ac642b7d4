{{- define "asided.labels" -}}
app.kubernetes.io/name: asided
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "asided.rules" -}}
{{- if .Values.bundle.url -}}
{{ required "bundle.keyConfigMap: the ConfigMap with the public key" .Values.bundle.keyConfigMap }}
{{- else -}}
{{ .Values.rulesConfigMap | default (printf "%s-rules" .Release.Name) }}
{{- end }}
{{- end }}
